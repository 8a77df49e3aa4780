import { clsx } from 'clsx';
import { type ReactNode, Suspense, useEffect, useRef } from 'react';
import type { Role } from '#contract/roles.ts';
import type { Arrival } from '#web/backend/arrival.ts';
import { SAVED_PATH } from '#web/backend/browser-storage.ts';
import { useSession, useSessionStore } from '#web/backend/session.ts';
import { LoadingScreen } from '#web/ui/state-screens.tsx';
import { uiTexts } from '#web/ui/texts.ts';
import { useToast } from '#web/ui/toast.tsx';
import { decideRoute, type Decision, navigatingRole } from './decide-route.ts';
import { ErrorBoundary, RoleUnreachable } from './error-screens.tsx';
import { Footer, Header } from './header-footer.tsx';
import { arrivalIn, useHistory, usePlace } from './place.ts';
import { RouteScreen } from './route-screen.tsx';
import { isFlow, matchRoute, type Screen } from './routes.ts';
import { BarNavigation, fetchAhead, IdleWarning, NotFound, UpdateNotice } from './screens.ts';
import { appTexts } from './texts.ts';
import { useIdleLogout } from './use-logout.ts';
import { WayBack } from './way-back.tsx';

/** Header, the screen the guard lets through, footer. */
export function Shell({ factorRoles }: Readonly<{ factorRoles: readonly Role[] }>): ReactNode {
  const decision = useGuard(factorRoles);
  const session = useSession();
  const logoutNear = useIdleLogout(session.status === 'signed-in');
  const main = useRef<HTMLElement>(null);
  const path = usePlace().pathname;
  const match = matchRoute(path);
  const screen = match?.entry.screen;
  const role = navigatingRole(session, factorRoles);
  useScrollToTop();
  useFetchAhead(decision, screen);
  return (
    <div className="flex min-h-dvh flex-col">
      <a
        href="#inhalt"
        onClick={(event) => {
          event.preventDefault();
          main.current?.focus();
        }}
        className={clsx(
          'fixed top-2 left-2 z-50 -translate-y-24 rounded-control bg-accent px-4 py-2.5 font-medium print:hidden',
          'text-on-accent focus:translate-y-0',
        )}
      >
        {uiTexts.skipToContent}
      </a>
      <Header role={role} match={match} />
      <main ref={main} id="inhalt" tabIndex={-1} className="flex flex-1 flex-col pt-(--header-height)">
        {decision.kind === 'render' && <WayBack role={role} match={match} />}
        <ErrorBoundary key={path}>
          <Suspense fallback={<LoadingScreen text={appTexts.loadingScreen} />}>
            <Content decision={decision} path={path} />
          </Suspense>
        </ErrorBoundary>
      </main>
      {logoutNear && <IdleWarning />}
      <UpdateNotice screen={screen} />
      {role !== undefined && !isFlow(screen) && <BarNavigation role={role} match={match} />}
      <Footer />
    </div>
  );
}

function Content({ decision, path }: Readonly<{ decision: Decision; path: string }>): ReactNode {
  switch (decision.kind) {
    case 'loading':
      return <LoadingScreen text={decision.reason === 'role' ? appTexts.loadingUser : appTexts.initialising} />;
    case 'role-unreachable':
      return <RoleUnreachable />;
    case 'redirect':
      return <Redirect key={`${path} ${decision.to}`} decision={decision} />;
    case 'not-found':
      return <NotFound />;
    default:
      return <RouteScreen match={decision.match} />;
  }
}

/** Fetches nothing without a session: the login screen comes at once. */
function useFetchAhead({ kind }: Decision, screen: Screen | undefined): void {
  useEffect(() => {
    if (kind !== 'loading') return undefined;
    const soon = setTimeout(() => void fetchAhead(screen));
    return () => clearTimeout(soon);
  }, [kind, screen]);
}

/** A new screen begins at its top; on the way back the browser remembers where one was. */
function useScrollToTop(): void {
  const history = useHistory();
  useEffect(
    () =>
      history.subscribe(({ action }) => {
        if (action.type === 'PUSH' || action.type === 'REPLACE') window.scrollTo(0, 0);
      }),
    [history],
  );
}

/** What the guard decides for the place the user is at. */
function useGuard(factorRoles: readonly Role[]): Decision {
  const path = usePlace().pathname;
  const session = useSession();
  const store = useSessionStore();
  useEffect(() => {
    if (path === '/login' && session.status === 'signed-out') store.dispatch({ type: 'arrived' });
  }, [path, session.status, store]);
  return decideRoute({ path, session, savedPath: localStorage.getItem(SAVED_PATH) ?? undefined, factorRoles });
}

type RedirectDecision = Extract<Decision, { kind: 'redirect' }>;

/** Carries out one redirect of the guard, once. Give it a key of place and target. */
function Redirect({ decision }: Readonly<{ decision: RedirectDecision }>): ReactNode {
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
    else history.replace(decision.to, getState(decision, pathname, arrivalIn(state)));
  }, [decision, hash, history, pathname, search, state, toast]);
  return null;
}

/** The login screen says why it is shown, except where the application was simply opened. */
function getState(decision: RedirectDecision, from: string, arrival: Arrival | undefined): object {
  if (arrival !== undefined) return { arrival };
  return decision.denied === 'signed-out' && from !== '/' ? { denied: true } : {};
}
