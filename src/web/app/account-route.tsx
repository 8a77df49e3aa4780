import type { ReactNode } from 'react';
import type { Arrival } from '#web/backend/arrival.ts';
import { BackendProvider } from '#web/backend/client.ts';
import { ServerStateProvider } from '#web/backend/server-state.tsx';
import { useConnectedBackend, useSession } from '#web/backend/session.ts';
import { AccountScreen, SecondFactorScreen } from '#web/features/account/index.tsx';

export function AccountRoute({ arrival }: Readonly<{ arrival: Arrival | undefined }>): ReactNode {
  const backend = useConnectedBackend();
  const session = useSession();
  const role = session.status === 'signed-in' && session.role.status === 'known' ? session.role.role : undefined;
  const required = role !== undefined && backend.config.secondFactorRoles.includes(role);
  return (
    <BackendProvider value={backend}>
      <ServerStateProvider>
        <AccountScreen factorRequired={required} arrival={arrival} />
      </ServerStateProvider>
    </BackendProvider>
  );
}

export function SecondFactorRoute({ onLogout }: Readonly<{ onLogout: () => void }>): ReactNode {
  return (
    <BackendProvider value={useConnectedBackend()}>
      <ServerStateProvider>
        <SecondFactorScreen onLogout={onLogout} />
      </ServerStateProvider>
    </BackendProvider>
  );
}
