import type { ReactNode } from 'react';
import { Notice } from '#web/ui/notice.tsx';
import { ProblemNotice } from '../problem-notice.tsx';
import { deskTexts } from '../texts.ts';
import { stateChangeTexts as texts } from './texts.ts';
import type { Trouble } from './use-state-change.ts';

/** Why a change did not happen. `own`: whether it stands in a dialog with words of one's own. */
export function TroubleNotice({ trouble, own }: Readonly<{ trouble: Trouble; own: 'words' | 'nothing' }>): ReactNode {
  const { problem, fresh } = trouble;
  if (problem !== 'conflict' || fresh === undefined) return <ProblemNotice problem={problem} />;
  const text = texts.conflict(deskTexts.states[fresh.state], fresh.events[0]?.by ?? '');
  return (
    <Notice tone="error" live title={texts.conflictTitle}>
      {own === 'words' ? `${text} ${texts.kept}` : text}
    </Notice>
  );
}
