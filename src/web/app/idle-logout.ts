import { useEffect } from 'react';
import { watchActivity } from '#web/backend/activity.ts';
import { useLogout } from './use-logout.ts';

/** §4 'Inactivity', D17. */
export function useIdleLogout(signedIn: boolean): void {
  const logout = useLogout();
  useEffect(() => (signedIn ? watchActivity(logout) : undefined), [signedIn, logout]);
}
