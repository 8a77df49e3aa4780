import { useEffect, useMemo, useState, type ReactNode } from 'react';
import type { AppConfig } from '#contract/app-config.ts';
import { SessionProvider } from '#web/backend/session.ts';
import { createSessionStore } from '#web/backend/session-store.ts';
import { NavigationProvider, type Navigate } from '#web/ui/link.tsx';
import { ProductNameProvider } from '#web/ui/screen-title.tsx';
import { ToastProvider } from '#web/ui/toast.tsx';
import { BrandProvider } from './brand.ts';
import { ErrorBoundary } from './error-boundary.tsx';
import { HistoryProvider, openHistory } from './place.ts';
import { Shell } from './shell.tsx';

/** Everything a screen may ask for, around the router. */
export function Application({ config }: Readonly<{ config: AppConfig }>): ReactNode {
  const [history] = useState(openHistory);
  const [store] = useState(() =>
    createSessionStore(config, (given) =>
      import('#web/backend/client.ts').then((module) => module.connectBackend(given)),
    ),
  );
  useEffect(() => store.start(), [store]);
  const navigate = useMemo<Navigate>(
    () =>
      (href, { replace = false, state } = {}) =>
        replace ? history.replace(href, state) : history.push(href, state),
    [history],
  );
  return (
    <BrandProvider value={config.brand}>
      <ProductNameProvider value={config.brand.product}>
        <SessionProvider value={store}>
          <NavigationProvider value={navigate}>
            <ToastProvider>
              <HistoryProvider value={history}>
                <ErrorBoundary>
                  <Shell factorRoles={config.secondFactorRoles} />
                </ErrorBoundary>
              </HistoryProvider>
            </ToastProvider>
          </NavigationProvider>
        </SessionProvider>
      </ProductNameProvider>
    </BrandProvider>
  );
}
