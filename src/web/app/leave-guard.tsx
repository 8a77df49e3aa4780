import { type ReactNode, useEffect, useState } from 'react';
import { useSession } from '#web/backend/session.ts';
import { isUnfinished } from '#web/submission/use-running-work.ts';
import { ConfirmDialog } from '#web/ui/dialog.tsx';
import { useHistory } from './place.ts';
import { isFlow, matchRoute } from './routes.ts';
import { appTexts } from './texts.ts';

type Question = Readonly<{ answer: (stays: boolean) => void }>;

/** Asks before an unfinished contribution is left for a screen outside of the flows; a logout is never held up. */
export function LeaveGuard(): ReactNode {
  const history = useHistory();
  const signedIn = useSession().status === 'signed-in';
  const [question, setQuestion] = useState<Question>();
  useEffect(
    () =>
      history.block({
        enableBeforeUnload: false,
        blockerFn: async ({ nextLocation: { pathname } }) => {
          if (!isUnfinished() || pathname === '/login' || isFlow(matchRoute(pathname)?.entry.screen)) return false;
          return new Promise((answer) => setQuestion({ answer }));
        },
      }),
    [history],
  );
  const answer = (stays: boolean): void => {
    question?.answer(stays);
    setQuestion(undefined);
  };
  const texts = appTexts.unfinished;
  return (
    <ConfirmDialog
      open={question !== undefined}
      title={texts.title}
      description={signedIn ? texts.description : texts.guest}
      confirmLabel={texts.leave}
      cancelLabel={texts.stay}
      onConfirm={() => answer(false)}
      onCancel={() => answer(true)}
    />
  );
}
