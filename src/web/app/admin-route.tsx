import { lazy, type ReactNode, Suspense } from 'react';
import { connected, ConnectedScreen } from '#web/backend/server-state.tsx';
import { AccountsScreen, AdminScreen } from '#web/features/admin/index.tsx';
import { Skeleton } from '#web/ui/skeleton.tsx';

/** After the figures: the desk brings more than this screen needs. */
const DeskEntry = lazy(() =>
  import('#web/features/desk/index.tsx').then((feature) => ({ default: feature.DeskEntry })),
);

export function AdminRoute({ association }: Readonly<{ association: string }>): ReactNode {
  return (
    <ConnectedScreen>
      <AdminScreen association={association} desk={<Desk />} />
    </ConnectedScreen>
  );
}

export const AccountsRoute = connected(AccountsScreen);

function Desk(): ReactNode {
  return (
    <Suspense fallback={<Skeleton className="mb-10 h-40 w-full sm:h-22 rounded-card!" />}>
      <DeskEntry />
    </Suspense>
  );
}
