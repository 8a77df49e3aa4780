import type { ReactNode } from 'react';
import type { Arrival } from '#web/backend/arrival.ts';
import { ConnectedScreen } from '#web/backend/server-state.tsx';
import { useConnectedBackend, useSession } from '#web/backend/session.ts';
import { AccountScreen, SecondFactorScreen } from '#web/features/account/index.tsx';

export function AccountRoute({ arrival }: Readonly<{ arrival: Arrival | undefined }>): ReactNode {
  const backend = useConnectedBackend();
  const session = useSession();
  const role = session.status === 'signed-in' && session.role.status === 'known' ? session.role.role : undefined;
  const required = role !== undefined && backend.config.secondFactorRoles.includes(role);
  return (
    <ConnectedScreen>
      <AccountScreen factorRequired={required} arrival={arrival} />
    </ConnectedScreen>
  );
}

export function SecondFactorRoute({ onLogout }: Readonly<{ onLogout: () => void }>): ReactNode {
  return (
    <ConnectedScreen>
      <SecondFactorScreen onLogout={onLogout} />
    </ConnectedScreen>
  );
}
