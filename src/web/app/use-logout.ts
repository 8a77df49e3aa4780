import { useCallback, useEffect, useState } from 'react';
import { watchActivity } from '#web/backend/activity.ts';
import { REVIEW_KEY } from '#web/backend/browser-storage.ts';
import { useSession, useSessionStore } from '#web/backend/session.ts';
import { useNavigate } from '#web/ui/link.tsx';
import { useToast } from '#web/ui/toast.tsx';
import { matchRoute } from './routes.ts';
import { appTexts } from './texts.ts';

/** §4 'Logout': storage cleared, toast, /login; the backend is informed, without a wait for its answer. */
export function useLogout(why?: 'idle'): () => void {
  const store = useSessionStore();
  const session = useSession();
  const navigate = useNavigate();
  const toast = useToast();
  const admin = session.status === 'signed-in' && session.role.status === 'known' && session.role.role === 'admin';
  return useCallback(() => {
    const signedOut = store.signOut();
    toast(appTexts.loggedOut);
    if (why === 'idle' && matchRoute(location.pathname)?.entry.screen === 'review') return;
    sessionStorage.removeItem(REVIEW_KEY);
    // By then somebody may have logged in.
    const reload = (): void => {
      if (store.getState().status === 'signed-out') window.location.assign('/login');
    };
    if (admin && isIos(navigator)) void signedOut.then(reload);
    else navigate('/login', { replace: true, state: why === 'idle' ? { idle: true } : {} });
  }, [store, toast, navigate, admin, why]);
}

/** iPadOS calls itself a Mac, but no Mac has a touch screen. */
export function isIos(device: Readonly<{ userAgent: string; maxTouchPoints: number }>): boolean {
  if (/iPad|iPhone|iPod/.test(device.userAgent)) return true;
  return device.userAgent.includes('Macintosh') && device.maxTouchPoints > 1;
}

/** §4 'Inactivity', D17. Gives whether the logout is near; every sign of life takes that back. */
export function useIdleLogout(signedIn: boolean): boolean {
  const logout = useLogout('idle');
  const [near, setNear] = useState(false);
  useEffect(() => {
    if (!signedIn) return undefined;
    const stop = watchActivity({ onIdle: logout, onWarning: setNear });
    return () => {
      stop();
      setNear(false);
    };
  }, [signedIn, logout]);
  return near;
}
