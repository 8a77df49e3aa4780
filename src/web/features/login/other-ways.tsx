import { type ReactNode, useEffect, useState } from 'react';
import type { OtherLogins } from '#web/backend/other-logins.ts';
import { useSessionStore } from '#web/backend/session.ts';
import { afterLoad } from '#web/ui/after-load.ts';
import { Button } from '#web/ui/button.tsx';
import { icon } from '#web/ui/icons.tsx';
import * as paths from '#web/ui/login-icons.json';
import { Link } from '#web/ui/link.tsx';
import { FailureNotice, loadOtherLogins, useDeparture } from './address-form.tsx';
import { loginTexts, providerTexts } from './texts.ts';

const LogIn = icon(paths.LogIn);

/** Links the other logins. Providers and company login appear only if the backend offers them. */
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

/** Shows one button for each configured provider ([auth.external.*]). */
function ProviderButtons({ providers }: Readonly<{ providers: readonly string[] }>): ReactNode {
  const depart = useDeparture();
  const [state, setState] = useState<Readonly<{ going?: string; failure?: string }>>({});
  if (providers.length === 0) return null;
  const go = async (provider: string): Promise<void> => {
    if (state.going !== undefined) return;
    setState({ going: provider });
    const problem = await depart((calls, backend) => calls.providerLogin(backend, provider));
    if (problem === undefined) setState({});
    else if (problem === 'unknown') setState({ failure: providerTexts.silent(formatProvider(provider)) });
    else setState({ failure: providerTexts[problem] });
  };
  return (
    <div className="mt-6 flex flex-col gap-3 border-t border-line pt-6">
      {providers.map((provider) => (
        <Button
          key={provider}
          variant="secondary"
          wide
          icon={LogIn}
          busy={state.going === provider}
          busyLabel={providerTexts.busy}
          onClick={() => void go(provider)}
        >
          {providerTexts.with(formatProvider(provider))}
        </Button>
      ))}
      <FailureNotice text={state.failure} />
    </div>
  );
}

const NONE: OtherLogins = { company: false, providers: [] };

/** Loads the offered logins after the form; offers none after a failure. */
function useOtherLogins(): OtherLogins {
  const store = useSessionStore();
  const [offered, setOffered] = useState(NONE);
  useEffect(() => {
    let left = false;
    const load = async (): Promise<void> => {
      await afterLoad();
      const [backend, calls] = await Promise.all([store.backend(), loadOtherLogins()]);
      const there = await calls.otherLogins(backend);
      if (!left) setOffered(there);
    };
    load().catch(() => undefined);
    return () => {
      left = true;
    };
  }, [store]);
  return offered;
}

/** Official spellings. */
const NAMES: Readonly<Record<string, string>> = {
  azure: 'Microsoft',
  github: 'GitHub',
  gitlab: 'GitLab',
  linkedin_oidc: 'LinkedIn',
  slack_oidc: 'Slack',
};

/** Formats a provider's name; an unknown one by its configuration section. */
export function formatProvider(provider: string): string {
  const name = provider.replaceAll(/[_-]+/g, ' ');
  return NAMES[provider] ?? `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
}
