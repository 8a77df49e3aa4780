import { useCallback } from 'react';
import { useSession, useSessionStore } from '#web/backend/session.ts';
import { useNavigate } from '#web/ui/link.tsx';
import { useToast } from '#web/ui/toast.tsx';
import { isIos } from './ios.ts';
import { appTexts } from './texts.ts';

/** §4 'Logout': storage cleared, toast, /login; the backend hears of it, but nobody waits for its answer. */
export function useLogout(): () => void {
  const store = useSessionStore();
  const session = useSession();
  const navigate = useNavigate();
  const toast = useToast();
  const admin = session.status === 'signed-in' && session.role.status === 'known' && session.role.role === 'admin';
  return useCallback(() => {
    const gone = store.signOut();
    toast(appTexts.loggedOut);
    if (admin && isIos(navigator)) void gone.then(() => window.location.assign('/login'));
    else navigate('/login', { replace: true });
  }, [store, toast, navigate, admin]);
}
