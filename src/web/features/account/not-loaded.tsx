import type { ReactNode } from 'react';
import { Button } from '#web/ui/button.tsx';
import { Notice } from '#web/ui/notice.tsx';
import { accountTexts as texts } from './texts.ts';

/** In the place of a list that could not be looked up. */
export function NotLoaded({ onRetry }: Readonly<{ onRetry: () => void }>): ReactNode {
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
