import { useEffect, useState } from 'react';
import type { OtherLogins } from '#web/backend/other-logins.ts';
import { useSessionStore } from '#web/backend/session.ts';
import { afterLoad } from '#web/ui/after-load.ts';

const NONE: OtherLogins = { company: false, providers: [] };

/** Looked up when the login has had its time to come; where it cannot be, nothing more is offered. */
export function useOtherLogins(): OtherLogins {
  const store = useSessionStore();
  const [offered, setOffered] = useState(NONE);
  useEffect(() => {
    let left = false;
    const look = async (): Promise<void> => {
      await afterLoad();
      const [backend, calls] = await Promise.all([store.backend(), import('#web/backend/other-logins.ts')]);
      const there = await calls.otherLogins(backend);
      if (!left) setOffered(there);
    };
    look().catch(() => undefined);
    return () => {
      left = true;
    };
  }, [store]);
  return offered;
}
