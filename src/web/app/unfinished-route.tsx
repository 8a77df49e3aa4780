import type { ReactNode } from 'react';
import { BackendProvider } from '#web/backend/client.ts';
import { ServerStateProvider } from '#web/backend/server-state.tsx';
import { useConnectedBackend } from '#web/backend/session.ts';
import { UnfinishedSection } from '#web/features/own-contributions/index.ts';

/** On the start pages; the screen does not wait for it. */
export function UnfinishedRoute(): ReactNode {
  return (
    <BackendProvider value={useConnectedBackend()}>
      <ServerStateProvider>
        <UnfinishedSection />
      </ServerStateProvider>
    </BackendProvider>
  );
}
