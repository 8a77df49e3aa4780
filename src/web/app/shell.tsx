import { clsx } from 'clsx';
import { type MouseEvent, type ReactNode, Suspense, useEffect, useRef } from 'react';
import type { Role } from '#contract/roles.ts';
import type { Arrival } from '#web/backend/arrival.ts';
import { SAVED_PATH, tryToStore } from '#web/backend/browser-storage.ts';
import { useSession, useSessionStore } from '#web/backend/session.ts';
import { BackLink } from '#web/ui/link.tsx';
import { LoadingScreen } from '#web/ui/state-screens.tsx';
import { uiTexts } from '#web/ui/texts.ts';
import { useToast } from '#web/ui/toast.tsx';
import { decideRoute, type Decision, navigatingRole } from './decide-route.ts';
import { ErrorBoundary, RoleUnreachable } from './error-screens.tsx';
import { Footer, Header } from './header-footer.tsx';
import { findHome } from './navigation.ts';
import { arrivalIn, useHistory, usePlace } from './place.ts';
import { isFlow, matchRoute, type RouteMatch, type Screen } from './routes.ts';
import { BarNavigation, fetchAhead, IdleWarning, NotFound, RouteScreen, UpdateNotice } from './screens.tsx';
import { appTexts } from './texts.ts';
import { useIdleLogout } from './use-logout.ts';

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
    if (decision.remember === true) tryToStore(localStorage, SAVED_PATH, `${pathname}${search}${hash}`);
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

/** Screens that are opened from anywhere: back leads to where one was. */
const ASIDE: readonly (Screen | undefined)[] = ['account', 'outbox', 'imprint', 'privacy'];

/** Above the screens that neither have a way back of their own nor are an item of the navigation. */
function WayBack({ role, match }: Readonly<{ role: Role | undefined; match: RouteMatch | undefined }>): ReactNode {
  const history = useHistory();
  const above = findAbove(role, match);
  const aside = ASIDE.includes(match?.entry.screen);
  const signedIn = useSession().status === 'signed-in';
  // Until the role is known the guard leads on from there, so that the screen does not move down when it is.
  const href = above?.href ?? (role === undefined ? (signedIn ? '/' : undefined) : findHome(role));
  if (above === undefined && (!aside || (href === undefined && !history.canGoBack()))) return null;
  const goBack = (event: MouseEvent): void => {
    if (!aside || !history.canGoBack()) return;
    event.preventDefault();
    history.back();
  };
  return (
    <div
      className={clsx(
        'relative mx-auto -mb-3 w-full px-4 pt-6 sm:-mb-9 sm:px-6 sm:pt-10',
        aside ? 'max-w-column' : 'max-w-page',
      )}
    >
      <BackLink href={href ?? '/'} onClick={goBack}>
        {above?.label ?? appTexts.back}
      </BackLink>
    </div>
  );
}

function findAbove(role: Role | undefined, match: RouteMatch | undefined) {
  if (match === undefined) return undefined;
  const { screen, area } = match.entry;
  if (screen === 'dashboard' && role === 'admin') return { href: '/admin', label: appTexts.navigation.items.admin };
  if (screen === 'content-selection' && area?.dashboard !== undefined) return { href: area.home, label: appTexts.back };
  return undefined;
}
