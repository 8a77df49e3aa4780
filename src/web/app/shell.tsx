import { Suspense, useEffect, useRef, type ReactNode } from 'react';
import type { Role } from '#contract/roles.ts';
import { useSession } from '#web/backend/session.ts';
import { LoadingScreen } from '#web/ui/state-screens.tsx';
import { uiTexts } from '#web/ui/texts.ts';
import type { Decision } from './decide-route.ts';
import { ErrorBoundary } from './error-boundary.tsx';
import { Footer } from './footer.tsx';
import { useGuard } from './guard.ts';
import { Header } from './header.tsx';
import { useIdleLogout } from './idle-logout.ts';
import { useHistory, usePlace } from './place.ts';
import { Redirect } from './redirect.tsx';
import { RoleUnreachable } from './role-unreachable.tsx';
import { RouteScreen } from './route-screen.tsx';
import { matchRoute, type Screen } from './routes.ts';
import { fetchAhead, NotFound, UpdateNotice } from './screens.ts';
import { appTexts } from './texts.ts';

/** Header, the screen the guard lets through, footer. */
export function Shell({ factorRoles }: Readonly<{ factorRoles: readonly Role[] }>): ReactNode {
  const decision = useGuard(factorRoles);
  const session = useSession();
  useIdleLogout(session.status === 'signed-in');
  const main = useRef<HTMLElement>(null);
  const path = usePlace().pathname;
  const screen = matchRoute(path)?.entry.screen;
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
        className="fixed top-2 left-2 z-50 -translate-y-24 rounded-control bg-accent px-4 py-2.5 font-medium text-on-accent focus:translate-y-0"
      >
        {uiTexts.skipToContent}
      </a>
      <Header />
      <main ref={main} id="inhalt" tabIndex={-1} className="flex flex-1 flex-col pt-(--header-height)">
        <ErrorBoundary key={path}>
          <Suspense fallback={<LoadingScreen text={appTexts.loadingScreen} />}>
            <Content decision={decision} path={path} />
          </Suspense>
        </ErrorBoundary>
      </main>
      <UpdateNotice screen={screen} />
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

/** Who has no session is told so at once, and nothing is fetched for them. */
function useFetchAhead({ kind }: Decision, screen: Screen | undefined): void {
  useEffect(() => {
    if (kind !== 'loading') return undefined;
    const soon = setTimeout(() => fetchAhead(screen));
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
