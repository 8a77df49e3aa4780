import type { ReactNode } from 'react';
import { BackendProvider } from '#web/backend/client.ts';
import { useConnectedBackend } from '#web/backend/session.ts';
import { AccountScreen, SecondFactorScreen } from '#web/rooms/account/index.ts';

export function AccountRoute(): ReactNode {
  return (
    <BackendProvider value={useConnectedBackend()}>
      <AccountScreen />
    </BackendProvider>
  );
}

export function SecondFactorRoute({ onLogout }: Readonly<{ onLogout: () => void }>): ReactNode {
  return (
    <BackendProvider value={useConnectedBackend()}>
      <SecondFactorScreen onLogout={onLogout} />
    </BackendProvider>
  );
}
