import { useState, type ReactNode, type SubmitEvent } from 'react';
import { useSessionStore } from '#web/backend/session.ts';
import { Button } from '#web/ui/button.tsx';
import { Field } from '#web/ui/field.tsx';
import { textOf } from '#web/ui/form-text.ts';
import { Link } from '#web/ui/link.tsx';
import { Notice } from '#web/ui/notice.tsx';
import { TextInput } from '#web/ui/text-input.tsx';
import { AccountColumn } from './account-column.tsx';
import { CaptchaField } from './captcha/captcha-field.tsx';
import { useCaptcha, type UseCaptcha } from './captcha/use-captcha.ts';
import { validateEmail } from './email-problem.ts';
import { loginTexts, mailCodeTexts as texts } from './texts.ts';

type State = Readonly<{ step: 'address' | 'code'; email: string; busy: boolean; problem?: string; failure?: string }>;

/** Signs in with a code from a mail. The answer does not reveal whether the account exists. */
export function MailCodeScreen(): ReactNode {
  const store = useSessionStore();
  const captcha = useCaptcha();
  const [state, setState] = useState<State>({ step: 'address', email: '', busy: false });
  const account = () => Promise.all([store.backend(), import('#web/backend/account.ts')]);
  const send = async (email: string, captchaToken: string | undefined): Promise<void> => {
    setState({ step: 'address', email, busy: true });
    const answer = await account()
      .then(([backend, calls]) => calls.requestMailCode(backend, { email, captchaToken }))
      .catch(() => 'unreachable' as const);
    if (answer === 'sent') setState({ step: 'code', email, busy: false });
    else setState({ step: 'address', email, busy: false, failure: texts[answer] });
  };
  const enter = async (email: string, code: string): Promise<void> => {
    setState({ step: 'code', email, busy: true });
    const answer = await account()
      .then(([backend, calls]) => calls.signInWithMailCode(backend, { email, code }))
      .catch(() => 'unreachable' as const);
    if (answer !== 'ok') setState({ step: 'code', email, busy: false, failure: texts[answer] });
  };
  const reload = (): void => {
    captcha.reload();
    setState({ step: 'address', email: state.email, busy: false });
  };
  const submit = (event: SubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    if (state.busy) return;
    if (state.step === 'code') {
      const code = textOf(event.currentTarget, 'code').replaceAll(/\s/g, '');
      if (code === '') setState({ ...state, problem: texts.codeMissing });
      else void enter(state.email, code);
      return;
    }
    const email = textOf(event.currentTarget, 'email').trim();
    const problem = validateEmail(email);
    setState({ step: 'address', email, busy: false, ...(problem === undefined ? {} : { problem }) });
    const proof = problem === undefined ? captcha.take() : undefined;
    if (proof?.ok === true) void send(email, proof.token);
  };
  return (
    <AccountColumn title={texts.title} lead={texts.lead}>
      <form noValidate onSubmit={submit} className="flex flex-col gap-5">
        {state.step === 'address' ? <Address state={state} captcha={captcha} /> : <Code problem={state.problem} />}
        {state.failure !== undefined && (
          <Notice tone="error" live>
            {state.failure}
          </Notice>
        )}
        <Button type="submit" wide busy={state.busy} busyLabel={texts.busy}>
          {state.step === 'address' ? texts.send : texts.submit}
        </Button>
        {state.step === 'code' && (
          <Button variant="secondary" wide disabled={state.busy} onClick={reload}>
            {texts.reload}
          </Button>
        )}
      </form>
      <p className="mt-6">
        <Link href="/login" className="touch inline-flex items-center">
          {texts.back}
        </Link>
      </p>
    </AccountColumn>
  );
}

function Address({ state, captcha }: Readonly<{ state: State; captcha: UseCaptcha }>): ReactNode {
  return (
    <>
      <Field label={loginTexts.email} error={state.problem} required>
        <TextInput
          name="email"
          type="email"
          defaultValue={state.email}
          autoComplete="username"
          inputMode="email"
          autoCapitalize="none"
          spellCheck={false}
        />
      </Field>
      <CaptchaField captcha={captcha} />
    </>
  );
}

function Code({ problem }: Readonly<{ problem: string | undefined }>): ReactNode {
  return (
    <>
      <Notice tone="good" title={texts.sentTitle} live>
        {texts.sentText}
      </Notice>
      <Field label={texts.code} error={problem} required>
        <TextInput
          key="code"
          name="code"
          inputMode="numeric"
          autoComplete="one-time-code"
          spellCheck={false}
          className="text-xl tracking-[0.3em] tabular-nums"
        />
      </Field>
    </>
  );
}
