import { type ReactNode, useEffect, useState } from 'react';
import { useSession } from '#web/backend/session.ts';
import { isUnfinished } from '#web/submission/use-running-work.ts';
import { afterScreen } from '#web/ui/after-load.ts';
import type { ConfirmDialog } from '#web/ui/dialog.tsx';
import { useHistory } from './place.ts';
import { isFlow, matchRoute } from './routes.ts';
import { appTexts } from './texts.ts';

type Question = Readonly<{ answer: (stays: boolean) => void; Dialog: typeof ConfirmDialog }>;

/** After the first screen, which does without it. */
const loadDialog = () => import('#web/ui/dialog.tsx').then((module) => module.ConfirmDialog);

/** Asks before an unfinished contribution is left for a screen outside of the flows; a logout is never held up. */
export function LeaveGuard(): ReactNode {
  const history = useHistory();
  const signedIn = useSession().status === 'signed-in';
  const [question, setQuestion] = useState<Question>();
  const texts = appTexts.unfinished;
  const description = signedIn ? texts.description : texts.guest;
  useEffect(() => void afterScreen().then(() => loadDialog().catch(() => undefined)), []);
  useEffect(
    () =>
      history.block({
        enableBeforeUnload: false,
        blockerFn: async ({ nextLocation: { pathname } }) => {
          if (!isUnfinished() || pathname === '/login' || isFlow(matchRoute(pathname)?.entry.screen)) return false;
          const Dialog = await loadDialog().catch(() => undefined);
          if (Dialog === undefined) return !window.confirm(`${texts.title}\n\n${description}`);
          return new Promise((answer) => setQuestion({ answer, Dialog }));
        },
      }),
    [history, texts, description],
  );
  if (question === undefined) return null;
  const answer = (stays: boolean): void => {
    question.answer(stays);
    setQuestion(undefined);
  };
  return (
    <question.Dialog
      open
      title={texts.title}
      description={description}
      confirmLabel={texts.leave}
      cancelLabel={texts.stay}
      onConfirm={() => answer(false)}
      onCancel={() => answer(true)}
    />
  );
}
