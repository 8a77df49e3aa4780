import type { ReactNode } from 'react';
import type { OwnAccountErrorCode } from '#web/backend/own-account.ts';
import { Button } from '#web/ui/button.tsx';
import { Notice } from '#web/ui/notice.tsx';
import { accountTexts, accountTexts as texts } from './texts.ts';

export function ErrorNotice({ error }: Readonly<{ error: OwnAccountErrorCode | undefined }>): ReactNode {
  if (error === undefined) return null;
  return (
    <Notice tone={error === 'cancelled' ? 'info' : 'error'} live>
      {accountTexts.errors[error]}
    </Notice>
  );
}

/** Replaces a list that failed to load. */
export function LoadFailedNotice({ onRetry }: Readonly<{ onRetry: () => void }>): ReactNode {
  return (
    <Notice
      tone="error"
      live
      title={texts.loadFailed}
      action={
        <Button variant="secondary" onClick={onRetry}>
          {texts.retry}
        </Button>
      }
    />
  );
}
