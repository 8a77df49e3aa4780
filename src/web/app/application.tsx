import { type ReactNode, startTransition, useCallback, useEffect, useMemo, useState } from 'react';
import type { RouterHistory } from '@tanstack/react-router';
import type { AppConfig } from '#contract/app-config.ts';
import { getDataOwner } from '#web/backend/browser-storage.ts';
import { AppConfigProvider, loadConfig } from '#web/backend/config.ts';
import { laterPart } from '#web/backend/later-part.ts';
import { createSessionStore, type SessionStore } from '#web/backend/session-store.ts';
import { SessionProvider } from '#web/backend/session.ts';
import { RetryButton } from '#web/ui/button.tsx';
import { CloudOff, RotateCw } from '#web/ui/icons.tsx';
import { type Navigate, NavigationProvider } from '#web/ui/link.tsx';
import { ProductNameProvider } from '#web/ui/screen-title.tsx';
import { ErrorScreen, LoadingScreen } from '#web/ui/state-screens.tsx';
import { importToaster, ToastProvider } from '#web/ui/toast.tsx';
import { ErrorBoundary } from './error-screens.tsx';
import { HistoryProvider, openHistory } from './place.ts';
import { loadClient } from './screens.tsx';
import { Shell } from './shell.tsx';
import { appTexts } from './texts.ts';

const loadToaster = laterPart('toaster', importToaster);

/** What a page has once, made before it is drawn: React may begin to draw it more than once. */
type Page = Readonly<{ config: AppConfig; history: RouterHistory; store: SessionStore }>;

function openPage(config: AppConfig): Page {
  const connect = async (given: AppConfig) => (await loadClient()).connectBackend(given);
  return { config, history: openHistory(), store: createSessionStore(config, connect) };
}

/** Everything a screen may ask for, around the router. */
function Application({ config, history, store }: Page): ReactNode {
  useEffect(() => store.start(), [store]);
  const navigate = useMemo<Navigate>(
    () =>
      (href, { replace = false, state, ignoreBlocker = false } = {}) =>
        history[replace ? 'replace' : 'push'](href, { ...state, of: getDataOwner() }, { ignoreBlocker }),
    [history],
  );
  return (
    <AppConfigProvider value={config}>
      <ProductNameProvider value={config.brand.product}>
        <SessionProvider value={store}>
          <NavigationProvider value={navigate}>
            <ToastProvider loadToaster={loadToaster}>
              <HistoryProvider value={history}>
                <ErrorBoundary>
                  <Shell factorRoles={config.secondFactorRoles} />
                </ErrorBoundary>
              </HistoryProvider>
            </ToastProvider>
          </NavigationProvider>
        </SessionProvider>
      </ProductNameProvider>
    </AppConfigProvider>
  );
}

type Loading = Readonly<{ status: 'loading' | 'failed' | 'retrying' }> | Readonly<{ status: 'ready'; page: Page }>;

/** Asks what this installation is before anything else is shown. `first`: on its way meanwhile; it never fails. */
export function Boot({ first }: Readonly<{ first?: Promise<unknown> }>): ReactNode {
  const [state, setState] = useState<Loading>({ status: 'loading' });
  const load = useCallback(() => {
    Promise.all([loadConfig(), first]).then(
      // In pieces: a phone that draws the whole screen at once answers nothing meanwhile.
      ([config]) => startTransition(() => setState({ status: 'ready', page: openPage(config) })),
      () => setState({ status: 'failed' }),
    );
  }, [first]);
  useEffect(load, [load]);
  if (state.status === 'ready') return <Application {...state.page} />;
  if (state.status === 'loading')
    return (
      <Whole>
        <LoadingScreen text={appTexts.initialising} />
      </Whole>
    );
  const retry = (): void => {
    setState({ status: 'retrying' });
    load();
  };
  const texts = appTexts.offline;
  return (
    <Whole>
      <ErrorScreen
        title={texts.title}
        icon={CloudOff}
        action={
          <RetryButton
            variant="primary"
            icon={RotateCw}
            busy={state.status === 'retrying'}
            busyLabel={texts.retrying}
            onClick={retry}
          />
        }
      >
        {texts.text}
      </ErrorScreen>
    </Whole>
  );
}

function Whole({ children }: Readonly<{ children: ReactNode }>): ReactNode {
  return <main className="flex min-h-dvh flex-col">{children}</main>;
}
