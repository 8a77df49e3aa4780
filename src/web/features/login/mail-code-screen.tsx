import { useState, type ReactNode, type SubmitEvent } from 'react';
import { Button } from '#web/ui/button.tsx';
import { Field } from '#web/ui/field.tsx';
import { readField } from '#web/ui/form-text.ts';
import { Notice } from '#web/ui/notice.tsx';
import { TextInput } from '#web/ui/text-input.tsx';
import { AccountColumn, BackToLogin, FailureNotice } from './account-column.tsx';
import { AddressForm, useAccountRequest, type FormState } from './address-form.tsx';
import { mailCodeTexts as texts } from './texts.ts';

type Step = Readonly<{ name: 'address' | 'code'; email: string }>;

/** Signs in with a code from a mail. The answer does not reveal whether the account exists. */
export function MailCodeScreen(): ReactNode {
  const request = useAccountRequest();
  const [step, setStep] = useState<Step>({ name: 'address', email: '' });
  const send = async (email: string, captchaToken: string | undefined): Promise<string | undefined> => {
    const answer = await request((calls, backend) => calls.requestMailCode(backend, { email, captchaToken }));
    if (answer !== 'sent') return texts[answer];
    setStep({ name: 'code', email });
    return undefined;
  };
  return (
    <AccountColumn title={texts.title} lead={texts.lead}>
      {step.name === 'address' ? (
        <AddressForm submitLabel={texts.send} busyLabel={texts.busy} defaultValue={step.email} send={send} />
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
  const submit = async (event: SubmitEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    if (state.busy) return;
    const code = readField(event.currentTarget, 'code').replaceAll(/\s/g, '');
    setState(code === '' ? { busy: false, problem: texts.codeMissing } : { busy: true });
    if (code === '') return;
    const answer = await request((calls, backend) => calls.signInWithMailCode(backend, { email, code }));
    if (answer !== 'ok') setState({ busy: false, failure: texts[answer] });
  };
  return (
    <form noValidate onSubmit={(event) => void submit(event)} className="flex flex-col gap-5">
      <Notice tone="good" title={texts.sentTitle} live>
        {texts.sentText}
      </Notice>
      <Field label={texts.code} error={state.problem} required>
        <TextInput
          name="code"
          inputMode="numeric"
          autoComplete="one-time-code"
          spellCheck={false}
          className="text-xl tracking-[0.3em] tabular-nums"
        />
      </Field>
      <FailureNotice text={state.failure} />
      <Button type="submit" wide busy={state.busy} busyLabel={texts.busy}>
        {texts.submit}
      </Button>
      <Button variant="secondary" wide disabled={state.busy} onClick={onReload}>
        {texts.reload}
      </Button>
    </form>
  );
}
