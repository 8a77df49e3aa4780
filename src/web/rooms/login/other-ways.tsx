import { useEffect, useState, type ReactNode } from 'react';
import { useSessionStore } from '#web/backend/session.ts';
import { afterLoad } from '#web/ui/after-load.ts';
import { Link } from '#web/ui/link.tsx';
import { loginTexts } from './texts.ts';

/** Ways in beside the password. The company's own login only where the backend has one. */
export function OtherWays(): ReactNode {
  const company = useCompanyLogin();
  return (
    <ul className="mt-6 flex flex-col gap-1">
      <li>
        <Link href="/passwort-vergessen" className="touch inline-flex items-center">
          {loginTexts.forgotten}
        </Link>
      </li>
      <li>
        <Link href="/anmeldung-code" className="touch inline-flex items-center">
          {loginTexts.mailCode}
        </Link>
      </li>
      {company && (
        <li>
          <Link href="/anmeldung-firma" className="touch inline-flex items-center">
            {loginTexts.companyLogin}
          </Link>
        </li>
      )}
    </ul>
  );
}

function useCompanyLogin(): boolean {
  const store = useSessionStore();
  const [offered, setOffered] = useState(false);
  useEffect(() => {
    let left = false;
    const look = async (): Promise<void> => {
      await afterLoad();
      const [backend, calls] = await Promise.all([store.backend(), import('#web/backend/account.ts')]);
      const there = await calls.offersCompanyLogin(backend);
      if (!left) setOffered(there);
    };
    look().catch(() => undefined);
    return () => {
      left = true;
    };
  }, [store]);
  return offered;
}
