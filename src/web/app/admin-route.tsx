import { lazy, type ReactNode, Suspense } from 'react';
import { BackendProvider } from '#web/backend/client.ts';
import { ServerStateProvider } from '#web/backend/server-state.tsx';
import { useConnectedBackend } from '#web/backend/session.ts';
import { AccountsScreen, AdminScreen } from '#web/features/admin/index.tsx';
import { Skeleton } from '#web/ui/skeleton.tsx';

/** After the figures: the desk brings more than this screen needs. */
const DeskEntry = lazy(() =>
  import('#web/features/desk/index.tsx').then((feature) => ({ default: feature.DeskEntry })),
);

export function AdminRoute({ association }: Readonly<{ association: string }>): ReactNode {
  return (
    <BackendProvider value={useConnectedBackend()}>
      <ServerStateProvider>
        <AdminScreen association={association} desk={<Desk />} />
      </ServerStateProvider>
    </BackendProvider>
  );
}

export function AccountsRoute(): ReactNode {
  return (
    <BackendProvider value={useConnectedBackend()}>
      <ServerStateProvider>
        <AccountsScreen />
      </ServerStateProvider>
    </BackendProvider>
  );
}

function Desk(): ReactNode {
  return (
    <Suspense fallback={<Skeleton className="mb-10 h-22 w-full rounded-card!" />}>
      <DeskEntry />
    </Suspense>
  );
}
