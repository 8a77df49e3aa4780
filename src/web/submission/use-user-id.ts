import { useEffect, useState } from 'react';
import { useBackend } from '#web/backend/client.ts';

/** `undefined` while unknown, `null` where nobody is logged in (D4: contributors). */
export function useUserId(): string | null | undefined {
  const { auth } = useBackend().supabase;
  const [userId, setUserId] = useState<string | null>();
  useEffect(() => {
    const { data } = auth.onAuthStateChange((_event, session) => setUserId(session?.user.id ?? null));
    return () => data.subscription.unsubscribe();
  }, [auth]);
  return userId;
}
