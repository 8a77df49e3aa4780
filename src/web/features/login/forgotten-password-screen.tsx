import { useState, type ReactNode } from 'react';
import { Notice } from '#web/ui/notice.tsx';
import { AccountColumn, BackToLogin } from './account-column.tsx';
import { AddressForm, useAccountRequest } from './address-form.tsx';
import { forgottenTexts as texts } from './texts.ts';

/** D15. The confirmation does not reveal whether the account exists. */
export function ForgottenPasswordScreen(): ReactNode {
  const request = useAccountRequest();
  const [sent, setSent] = useState(false);
  const send = async (email: string, captchaToken: string | undefined): Promise<string | undefined> => {
    const answer = await request((calls, backend) => calls.requestPasswordReset(backend, { email, captchaToken }));
    if (answer !== 'sent') return texts[answer];
    setSent(true);
    return undefined;
  };
  return (
    <AccountColumn title={texts.title} lead={texts.lead}>
      {sent ? (
        <Notice tone="good" title={texts.sentTitle} live>
          {texts.sent}
        </Notice>
      ) : (
        <AddressForm submitLabel={texts.submit} busyLabel={texts.submitting} send={send} />
      )}
      <BackToLogin />
    </AccountColumn>
  );
}
