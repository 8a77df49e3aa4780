import { type ReactNode, useEffect, useState } from 'react';
import { useSession } from '#web/backend/session.ts';
import { getShownWork, isUnfinished } from '#web/submission/use-running-work.ts';
import { ConfirmDialog } from '#web/ui/dialog.tsx';
import { laterTexts } from './later-texts.ts';
import { useHistory } from './place.ts';
import { isFlow, matchRoute } from './routes.ts';

type Question = Readonly<{ about: keyof typeof laterTexts.leaving; answer: (stays: boolean) => void }>;

/**
 * Asks before running work is left by link, 'Zurück' or the browser, and before an unfinished contribution is left for
 * a screen outside of the flows. A flow's own way on asks nothing; a logout is never held up.
 */
export function LeaveGuard(): ReactNode {
  const history = useHistory();
  const signedIn = useSession().status === 'signed-in';
  const [question, setQuestion] = useState<Question>();
  useEffect(
    () =>
      history.block({
        enableBeforeUnload: false,
        blockerFn: async ({ nextLocation: { pathname } }) => {
          const about = getShownWork() ?? (isUnfinished() && leavesFlows(pathname) ? whose(signedIn) : undefined);
          if (about === undefined || pathname === '/login') return false;
          return new Promise((answer) => setQuestion({ about, answer }));
        },
      }),
    [history, signedIn],
  );
  if (question === undefined) return null;
  const answer = (stays: boolean): void => {
    question.answer(stays);
    setQuestion(undefined);
  };
  return (
    <ConfirmDialog
      open
      {...laterTexts.leaving[question.about]}
      confirmLabel={laterTexts.leave}
      cancelLabel={laterTexts.stay}
      onConfirm={() => answer(false)}
      onCancel={() => answer(true)}
    />
  );
}

function leavesFlows(pathname: string): boolean {
  return !isFlow(matchRoute(pathname)?.entry.screen);
}

function whose(signedIn: boolean): 'unfinished' | 'guest' {
  return signedIn ? 'unfinished' : 'guest';
}
