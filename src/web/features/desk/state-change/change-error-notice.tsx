import type { ReactNode } from 'react';
import { Notice } from '#web/ui/notice.tsx';
import { ProblemNotice } from '../notices.tsx';
import { deskTexts } from '../texts.ts';
import { stateChangeTexts as texts } from './texts.ts';
import type { ChangeError } from './use-state-change.ts';

/** Says why a change failed. `draft`: whether the dialog still holds typed text. */
export function ChangeErrorNotice({
  error,
  draft,
}: Readonly<{ error: ChangeError; draft: 'kept' | 'none' }>): ReactNode {
  const { code, current } = error;
  if (code !== 'conflict' || current === undefined) return <ProblemNotice problem={code} />;
  const text = texts.conflict(deskTexts.states[current.state], current.events[0]?.by ?? '');
  return (
    <Notice tone="error" live title={texts.conflictTitle}>
      {draft === 'kept' ? `${text} ${texts.kept}` : text}
    </Notice>
  );
}
