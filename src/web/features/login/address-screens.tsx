import { type ReactNode, type SubmitEvent, useState } from 'react';
import { Button } from '#web/ui/button.tsx';
import { Field } from '#web/ui/field.tsx';
import { TextInput } from '#web/ui/form-fields.tsx';
import { Notice } from '#web/ui/notice.tsx';
import { useFocusOnArrival } from '#web/ui/use-focus.ts';
import {
  AccountColumn,
  AddressForm,
  BackToLogin,
  FailureNotice,
  type FormState,
  readField,
  useAccountRequest,
  useDeparture,
} from './address-form.tsx';
import { companyLoginTexts, forgottenTexts, mailCodeTexts } from './texts.ts';

/** Single sign-on: finds the company's login by the domain of the address. */
export function CompanyLoginScreen(): ReactNode {
  const depart = useDeparture();
  const send = async (email: string, captchaToken: string | undefined): Promise<string | undefined> => {
    const domain = email.split('@').at(-1)?.toLowerCase() ?? '';
    const problem = await depart((calls, backend) => calls.companyLogin(backend, { domain, captchaToken }));
    return problem && companyLoginTexts[problem];
  };
  return (
    <AccountColumn title={companyLoginTexts.title} lead={companyLoginTexts.lead}>
      <AddressForm submitLabel={companyLoginTexts.submit} busyLabel={companyLoginTexts.busy} send={send} />
      <BackToLogin />
    </AccountColumn>
  );
}

/** D15. The confirmation does not reveal whether the account exists. */
export function ForgottenPasswordScreen(): ReactNode {
  const request = useAccountRequest();
  const [sent, setSent] = useState(false);
  const send = async (email: string, captchaToken: string | undefined): Promise<string | undefined> => {
    const answer = await request((calls, backend) => calls.requestPasswordReset(backend, { email, captchaToken }));
    if (answer !== 'sent') return forgottenTexts[answer];
    setSent(true);
    return undefined;
  };
  return (
    <AccountColumn title={forgottenTexts.title} lead={forgottenTexts.lead} mails>
      {sent ? (
        <Notice tone="good" title={forgottenTexts.sentTitle} live>
          {forgottenTexts.sent}
        </Notice>
      ) : (
        <AddressForm submitLabel={forgottenTexts.submit} busyLabel={forgottenTexts.submitting} send={send} />
      )}
      <BackToLogin />
    </AccountColumn>
  );
}

type Step = Readonly<{ name: 'address' | 'code'; email: string }>;

/** Signs in with a code from a mail. The answer does not reveal whether the account exists. */
export function MailCodeScreen(): ReactNode {
  const request = useAccountRequest();
  const [step, setStep] = useState<Step>({ name: 'address', email: '' });
  const send = async (email: string, captchaToken: string | undefined): Promise<string | undefined> => {
    const answer = await request((calls, backend) => calls.requestMailCode(backend, { email, captchaToken }));
    if (answer !== 'sent') return mailCodeTexts[answer];
    setStep({ name: 'code', email });
    return undefined;
  };
  return (
    <AccountColumn title={mailCodeTexts.title} lead={mailCodeTexts.lead} mails>
      {step.name === 'address' ? (
        <AddressForm
          submitLabel={mailCodeTexts.send}
          busyLabel={mailCodeTexts.busy}
          defaultValue={step.email}
          send={send}
        />
      ) : (
        <CodeForm email={step.email} onReload={() => setStep({ ...step, name: 'address' })} />
      )}
      <BackToLogin />
    </AccountColumn>
  );
}

function CodeForm({ email, onReload }: Readonly<{ email: string; onReload: () => void }>): ReactNode {
  const request = useAccountRequest();
  const [state, setState] = useState<FormState>({ busy: false });
  const field = useFocusOnArrival<HTMLInputElement>();
  const submit = async (event: SubmitEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    if (state.busy) return;
    const code = readField(event.currentTarget, 'code').replaceAll(/\D/g, '');
    setState(code === '' ? { busy: false, problem: mailCodeTexts.codeMissing } : { busy: true });
    if (code === '') return;
    const answer = await request((calls, backend) => calls.signInWithMailCode(backend, { email, code }));
    if (answer !== 'ok') setState({ busy: false, failure: mailCodeTexts[answer] });
  };
  return (
    <form noValidate onSubmit={(event) => void submit(event)} className="flex flex-col gap-5">
      <Notice tone="good" title={mailCodeTexts.sentTitle} live>
        {mailCodeTexts.sentText}
      </Notice>
      <Field label={mailCodeTexts.code} error={state.problem} required>
        <TextInput
          ref={field}
          name="code"
          inputMode="numeric"
          autoComplete="one-time-code"
          spellCheck={false}
          className="text-xl tracking-[0.3em] tabular-nums"
        />
      </Field>
      <FailureNotice text={state.failure} />
      <Button type="submit" wide busy={state.busy} busyLabel={mailCodeTexts.busy}>
        {mailCodeTexts.submit}
      </Button>
      <Button variant="secondary" wide disabled={state.busy} onClick={onReload}>
        {mailCodeTexts.reload}
      </Button>
    </form>
  );
}
