import { useEffect, useState } from 'react';
import { type BackendClient, useBackendConfig, useBackendLoader } from '#web/backend/client.ts';
import { fragmentHasSession, storedUser } from '#web/backend/stored-session.ts';
import { afterPaint } from '#web/ui/after-load.ts';

/**
 * `undefined` while unknown, `null` without a login (D4: contributors). Who is logged in here is known before the
 * client, which may find that the session has ended.
 */
export function useUserId(): string | null | undefined {
  const { supabaseUrl } = useBackendConfig();
  const loadBackend = useBackendLoader();
  const [first] = useState(() =>
    fragmentHasSession(window.location.hash) ? undefined : (storedUser(supabaseUrl)?.id ?? null),
  );
  const [userId, setUserId] = useState(first);
  useEffect(() => {
    let follow = true;
    let stop = (): void => undefined;
    const listen = ({ supabase: { auth } }: BackendClient): void => {
      if (!follow) return;
      const { data } = auth.onAuthStateChange((event, session) => {
        // A session that could not be renewed for want of a network is still this user's.
        const kept = event === 'SIGNED_OUT' ? undefined : storedUser(supabaseUrl);
        setUserId(session?.user.id ?? kept?.id ?? null);
      });
      stop = () => data.subscription.unsubscribe();
    };
    const asked = first === undefined ? loadBackend() : afterPaint().then(loadBackend);
    asked.then(listen, () => setUserId((now) => now ?? null));
    return () => {
      follow = false;
      stop();
    };
  }, [first, loadBackend, supabaseUrl]);
  return userId;
}
