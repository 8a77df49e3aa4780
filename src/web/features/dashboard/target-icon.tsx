import { FileText, Image, Images, LayoutGrid, MessagesSquare, Mic, Video } from '#web/ui/screen-icons.ts';
import type { ReactNode } from 'react';
import type { DashboardTarget } from '#contract/areas.ts';

const ICONS = {
  'content-selection': LayoutGrid,
  'interview-category': MessagesSquare,
  'voice-message': Mic,
  upload: Images,
  'video-upload': Video,
  'image-upload': Image,
  'document-upload': FileText,
} as const;

export function TargetIcon({ target, className }: Readonly<{ target: DashboardTarget; className: string }>): ReactNode {
  const Icon = ICONS[target];
  return <Icon aria-hidden className={className} />;
}
