import type { ReactNode } from 'react';
import type { DeskProblem } from '#web/backend/desk-error.ts';
import { Button } from '#web/ui/button.tsx';
import { Notice } from '#web/ui/notice.tsx';
import { deskTexts as texts } from './texts.ts';

/** Why something did not come, and the way to try again. */
export function ProblemNotice({
  problem,
  onRetry,
}: Readonly<{ problem: DeskProblem; onRetry?: () => void }>): ReactNode {
  const [, what = '', then = ''] = /^(.*?[.:])(?: (.*))?$/.exec(texts.problems[problem]) ?? [];
  const retry =
    onRetry === undefined ? undefined : (
      <Button variant="secondary" onClick={onRetry}>
        {texts.retry}
      </Button>
    );
  return (
    <Notice tone="error" live title={what} action={retry}>
      {then === '' ? undefined : then}
    </Notice>
  );
}
