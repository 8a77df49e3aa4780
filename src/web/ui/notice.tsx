import { CircleAlert, CircleCheck, Info, TriangleAlert } from './icons.tsx';
import { clsx } from 'clsx';
import type { ReactNode } from 'react';

export type Tone = 'info' | 'caution' | 'error' | 'good';

const LOOK = {
  info: { icon: Info, ground: 'bg-accent-wash', mark: 'text-accent-ink' },
  caution: { icon: TriangleAlert, ground: 'bg-caution-wash', mark: 'text-caution-ink' },
  error: { icon: CircleAlert, ground: 'bg-record-wash', mark: 'text-record-ink' },
  good: { icon: CircleCheck, ground: 'bg-good-wash', mark: 'text-good-ink' },
} as const;

export function ToneIcon({ tone, className }: Readonly<{ tone: Tone; className?: string }>): ReactNode {
  const Icon = LOOK[tone].icon;
  return <Icon aria-hidden className={clsx('shrink-0', LOOK[tone].mark, className ?? 'size-5')} />;
}

export type NoticeProps = Readonly<{
  tone?: Tone;
  title?: string;
  /** Announce it when it appears: errors at once, everything else when there is a pause. */
  live?: boolean;
  action?: ReactNode;
  children?: ReactNode;
}>;

/** A remark that stays where it is (a toast goes by itself). */
export function Notice({ tone = 'info', title, live = false, action, children }: NoticeProps): ReactNode {
  const role = tone === 'error' ? 'alert' : 'status';
  return (
    <div role={live ? role : undefined} className={clsx('flex gap-3 rounded-control p-4', LOOK[tone].ground)}>
      <ToneIcon tone={tone} className="mt-0.5 size-5" />
      <div className="min-w-0 flex-1">
        {title !== undefined && <p className="font-medium">{title}</p>}
        {children !== undefined && <div className="text-ink">{children}</div>}
        {action !== undefined && <div className="mt-3 flex flex-wrap gap-2">{action}</div>}
      </div>
    </div>
  );
}
