import type { ReactNode } from 'react';
import { Link } from '#web/ui/link.tsx';
import { ProviderButtons } from './provider-buttons.tsx';
import { loginTexts } from './texts.ts';
import { useOtherLogins } from './use-other-logins.ts';

/** Ways in beside the password. Other providers and the company's own login only where the backend has them. */
export function OtherWays(): ReactNode {
  const { company, providers } = useOtherLogins();
  return (
    <>
      <ProviderButtons providers={providers} />
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
    </>
  );
}
