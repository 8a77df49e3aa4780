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
import { useCaptcha } from './captcha/use-captcha.ts';
import { validateEmail } from './email-problem.ts';
import { companyLoginTexts as texts, loginTexts } from './texts.ts';

type State = Readonly<{ busy: boolean; problem?: string; failure?: string }>;

/** Single sign-on: finds the company's login by the domain of the address. */
export function CompanyLoginScreen(): ReactNode {
  const store = useSessionStore();
  const captcha = useCaptcha();
  const [state, setState] = useState<State>({ busy: false });
  const leave = async (domain: string, captchaToken: string | undefined): Promise<void> => {
    setState({ busy: true });
    const answer = await Promise.all([store.backend(), import('#web/backend/other-logins.ts')])
      .then(([backend, calls]) => calls.companyLogin(backend, { domain, captchaToken }))
      .catch(() => ({ kind: 'unreachable' }) as const);
    if (answer.kind === 'go') location.assign(answer.url);
    else setState({ busy: false, failure: texts[answer.kind] });
  };
  const submit = (event: SubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    if (state.busy) return;
    const email = textOf(event.currentTarget, 'email').trim();
    const problem = validateEmail(email);
    setState({ busy: false, ...(problem === undefined ? {} : { problem }) });
    const proof = problem === undefined ? captcha.take() : undefined;
    if (proof?.ok === true) void leave(email.split('@').at(-1)?.toLowerCase() ?? '', proof.token);
  };
  return (
    <AccountColumn title={texts.title} lead={texts.lead}>
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
        {state.failure !== undefined && (
          <Notice tone="error" live>
            {state.failure}
          </Notice>
        )}
        <Button type="submit" wide busy={state.busy} busyLabel={texts.busy}>
          {texts.submit}
        </Button>
      </form>
      <p className="mt-6">
        <Link href="/login" className="touch inline-flex items-center">
          {texts.back}
        </Link>
      </p>
    </AccountColumn>
  );
}
