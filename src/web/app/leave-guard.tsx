import { type ReactNode, useEffect, useState } from 'react';
import { useSession } from '#web/backend/session.ts';
import { getShownWork, isUnfinished } from '#web/submission/use-running-work.ts';
import { afterScreen } from '#web/ui/after-load.ts';
import type { ConfirmDialog } from '#web/ui/dialog.tsx';
import { useHistory } from './place.ts';
import { isFlow, matchRoute } from './routes.ts';
import { appTexts } from './texts.ts';

type Question = Readonly<{
  texts: Readonly<{ title: string; description: string }>;
  answer: (stays: boolean) => void;
  Dialog: typeof ConfirmDialog;
}>;

/** After the first screen, which does without it. */
const loadDialog = () => import('#web/ui/dialog.tsx').then((module) => module.ConfirmDialog);

/**
 * Asks before running work is left by link, 'Zurück' or the browser, and before an unfinished contribution is left for
 * a screen outside of the flows. A flow's own way on asks nothing; a logout is never held up.
 */
export function LeaveGuard(): ReactNode {
  const history = useHistory();
  const signedIn = useSession().status === 'signed-in';
  const [question, setQuestion] = useState<Question>();
  useEffect(() => void afterScreen().then(() => loadDialog().catch(() => undefined)), []);
  useEffect(
    () =>
      history.block({
        enableBeforeUnload: false,
        blockerFn: async ({ nextLocation: { pathname } }) => {
          const about = getShownWork() ?? (isUnfinished() && leavesFlows(pathname) ? whose(signedIn) : undefined);
          if (about === undefined || pathname === '/login') return false;
          const texts = appTexts.leaving[about];
          const Dialog = await loadDialog().catch(() => undefined);
          if (Dialog === undefined) return !window.confirm(`${texts.title}\n\n${texts.description}`);
          return new Promise((answer) => setQuestion({ texts, answer, Dialog }));
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
    <question.Dialog
      open
      title={question.texts.title}
      description={question.texts.description}
      confirmLabel={appTexts.leave}
      cancelLabel={appTexts.stay}
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
