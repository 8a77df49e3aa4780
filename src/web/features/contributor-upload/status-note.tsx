import type { ReactNode } from 'react';
import type { BackendStatus } from '#web/backend/status.ts';
import { Notice } from '#web/ui/notice.tsx';
import { texts } from './texts.ts';

/** §2.10: when the storage is not ready. */
export function StatusNote({ status }: Readonly<{ status: BackendStatus }>): ReactNode {
  if (status === 'ready') return null;
  const { title, text } = texts.status[status];
  return (
    <Notice tone={status === 'checking' ? 'info' : 'caution'} title={title} live>
      {text}
    </Notice>
  );
}
