import type { ReactNode } from 'react';
import { BackendProvider } from '#web/backend/client.ts';
import { useConnectedBackend } from '#web/backend/session.ts';
import { AccountsScreen, AdminScreen } from '#web/rooms/admin/index.ts';
import { DeskEntry } from '#web/rooms/desk/index.ts';

export function AdminRoute({ association }: Readonly<{ association: string }>): ReactNode {
  return (
    <BackendProvider value={useConnectedBackend()}>
      <AdminScreen association={association} desk={<DeskEntry />} />
    </BackendProvider>
  );
}

export function AccountsRoute(): ReactNode {
  return (
    <BackendProvider value={useConnectedBackend()}>
      <AccountsScreen />
    </BackendProvider>
  );
}
