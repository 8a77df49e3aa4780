import type { ReactNode } from 'react';
import { useSessionStore } from '#web/backend/session.ts';
import { AccountColumn, BackToLogin } from './account-column.tsx';
import { AddressForm } from './address-form.tsx';
import { companyLoginTexts as texts } from './texts.ts';

/** Single sign-on: finds the company's login by the domain of the address. */
export function CompanyLoginScreen(): ReactNode {
  const store = useSessionStore();
  const send = async (email: string, captchaToken: string | undefined): Promise<string | undefined> => {
    const domain = email.split('@').at(-1)?.toLowerCase() ?? '';
    const answer = await Promise.all([store.backend(), import('#web/backend/other-logins.ts')])
      .then(([backend, calls]) => calls.companyLogin(backend, { domain, captchaToken }))
      .catch(() => ({ kind: 'unreachable' }) as const);
    if (answer.kind !== 'go') return texts[answer.kind];
    location.assign(answer.url);
    return undefined;
  };
  return (
    <AccountColumn title={texts.title} lead={texts.lead}>
      <AddressForm submitLabel={texts.submit} busyLabel={texts.busy} send={send} />
      <BackToLogin />
    </AccountColumn>
  );
}
