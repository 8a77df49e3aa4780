import type { ReactNode } from 'react';
import { BackendProvider } from '#web/backend/client.ts';
import { ServerStateProvider } from '#web/backend/server-state.tsx';
import { useConnectedBackend } from '#web/backend/session.ts';
import { SetupScreen } from '#web/features/setup/index.tsx';

export function SetupRoute(): ReactNode {
  return (
    <BackendProvider value={useConnectedBackend()}>
      <ServerStateProvider>
        <SetupScreen />
      </ServerStateProvider>
    </BackendProvider>
  );
}
