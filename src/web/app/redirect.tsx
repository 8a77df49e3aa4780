import { useEffect, useRef, type ReactNode } from 'react';
import type { Arrival } from '#web/backend/arrival.ts';
import { SAVED_PATH } from '#web/backend/browser-storage.ts';
import { useToast } from '#web/ui/toast.tsx';
import type { Decision } from './decide-route.ts';
import { arrivalIn, useHistory, usePlace } from './place.ts';
import { appTexts } from './texts.ts';

type RedirectDecision = Extract<Decision, { kind: 'redirect' }>;

/** Carries out one redirect of the guard, once. Give it a key of place and target. */
export function Redirect({ decision }: Readonly<{ decision: RedirectDecision }>): ReactNode {
  const history = useHistory();
  const toast = useToast();
  const { pathname, search, hash, state } = usePlace();
  const done = useRef(false);
  useEffect(() => {
    if (done.current) return;
    done.current = true;
    if (decision.complete === true) localStorage.removeItem(SAVED_PATH);
    if (decision.remember === true) localStorage.setItem(SAVED_PATH, `${pathname}${search}${hash}`);
    if (decision.denied === 'role') {
      const { title, role } = appTexts.accessDenied;
      toast({ title, description: role, variant: 'destructive' });
    }
    if (decision.keep === true) history.replace(`${decision.to}${search}${hash}`, { ...state });
    else history.replace(decision.to, stateOf(decision, pathname, arrivalIn(state)));
  }, [decision, hash, history, pathname, search, state, toast]);
  return null;
}

/** The login screen says why one is there, except to whoever simply opened the application. */
function stateOf(decision: RedirectDecision, from: string, arrival: Arrival | undefined): object {
  if (arrival !== undefined) return { arrival };
  return decision.denied === 'signed-out' && from !== '/' ? { denied: true } : {};
}
