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
import { captchaTexts } from './captcha/texts.ts';
import { useCaptcha } from './captcha/use-captcha.ts';
import { validateEmail } from './email-problem.ts';
import { forgottenTexts as texts, loginTexts } from './texts.ts';

type State = Readonly<{ status: 'idle' | 'busy' | 'sent' | 'captcha' | 'unreachable'; problem?: string | undefined }>;

/** D15. The confirmation does not reveal whether the account exists. */
export function ForgottenPasswordScreen(): ReactNode {
  const store = useSessionStore();
  const captcha = useCaptcha();
  const [state, setState] = useState<State>({ status: 'idle' });
  const request = async (email: string, captchaToken: string | undefined): Promise<void> => {
    setState({ status: 'busy' });
    const answer = await Promise.all([store.backend(), import('#web/backend/account.ts')])
      .then(([backend, account]) => account.requestPasswordReset(backend, { email, captchaToken }))
      .catch(() => 'unreachable' as const);
    setState({ status: answer });
  };
  const submit = (event: SubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    if (state.status === 'busy') return;
    const email = textOf(event.currentTarget, 'email').trim();
    const problem = validateEmail(email);
    setState({ status: 'idle', problem });
    const proof = problem === undefined ? captcha.take() : undefined;
    if (proof?.ok === true) void request(email, proof.token);
  };
  return (
    <AccountColumn title={texts.title} lead={texts.lead}>
      {state.status === 'sent' ? (
        <Notice tone="good" title={texts.sentTitle} live>
          {texts.sent}
        </Notice>
      ) : (
        <form noValidate onSubmit={submit} className="flex flex-col gap-5">
          <Field label={loginTexts.email} error={state.problem} required>
            <TextInput
              name="email"
              type="email"
              autoComplete="username"
              inputMode="email"
              autoCapitalize="none"
              spellCheck={false}
            />
          </Field>
          <CaptchaField captcha={captcha} />
          {(state.status === 'unreachable' || state.status === 'captcha') && (
            <Notice tone="error" live>
              {state.status === 'captcha' ? captchaTexts.refused : texts.unreachable}
            </Notice>
          )}
          <Button type="submit" wide busy={state.status === 'busy'} busyLabel={texts.submitting}>
            {texts.submit}
          </Button>
        </form>
      )}
      <p className="mt-6">
        <Link href="/login" className="touch inline-flex items-center">
          {texts.back}
        </Link>
      </p>
    </AccountColumn>
  );
}
