import type { ReactNode } from 'react';
import { ownArea } from '#contract/areas.ts';
import { BackendProvider } from '#web/backend/client.ts';
import { ServerStateProvider } from '#web/backend/server-state.tsx';
import { useConnectedBackend, useSession } from '#web/backend/session.ts';
import { OwnContributionsScreen } from '#web/features/own-contributions/index.ts';

export function OwnContributionsRoute(): ReactNode {
  const backend = useConnectedBackend();
  const session = useSession();
  const role = session.status === 'signed-in' && session.role.status === 'known' ? session.role.role : null;
  return (
    <BackendProvider value={backend}>
      <ServerStateProvider>
        <OwnContributionsScreen home={ownArea(role)?.home ?? '/'} />
      </ServerStateProvider>
    </BackendProvider>
  );
}
