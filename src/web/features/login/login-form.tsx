import { useState, type ReactNode, type SubmitEvent } from 'react';
import { Button } from '#web/ui/button.tsx';
import { Field } from '#web/ui/field.tsx';
import { PasswordInput } from '#web/ui/password-input.tsx';
import { TextInput } from '#web/ui/text-input.tsx';
import { CaptchaField } from './captcha/captcha-field.tsx';
import { useCaptcha } from './captcha/use-captcha.ts';
import { emailProblem } from './email-problem.ts';
import { textOf } from '#web/ui/form-text.ts';
import { loginTexts } from './texts.ts';
import { useLogin } from './use-login.ts';

type Problems = Readonly<{ email?: string | undefined; password?: string | undefined }>;

export function LoginForm(): ReactNode {
  const { busy, login } = useLogin();
  const captcha = useCaptcha();
  const [problems, setProblems] = useState<Problems>({});
  const submit = (event: SubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const email = textOf(event.currentTarget, 'email').trim();
    const password = textOf(event.currentTarget, 'password');
    const found = { email: emailProblem(email), password: password === '' ? loginTexts.passwordMissing : undefined };
    setProblems(found);
    if (found.email !== undefined || found.password !== undefined) {
      focusFirst(event.currentTarget, found.email === undefined ? 'password' : 'email');
      return;
    }
    const proof = busy ? undefined : captcha.take();
    if (proof?.ok === true) void login({ email, password, captchaToken: proof.token });
  };
  return (
    <form noValidate onSubmit={submit} className="flex flex-col gap-5">
      <Field label={loginTexts.email} error={problems.email} required>
        <TextInput
          name="email"
          type="email"
          autoComplete="username"
          inputMode="email"
          autoCapitalize="none"
          spellCheck={false}
        />
      </Field>
      <Field label={loginTexts.password} error={problems.password} required>
        <PasswordInput
          name="password"
          autoComplete="current-password"
          showLabel={loginTexts.showPassword}
          hideLabel={loginTexts.hidePassword}
        />
      </Field>
      <CaptchaField captcha={captcha} />
      <Button type="submit" wide busy={busy} busyLabel={loginTexts.submitting}>
        {loginTexts.submit}
      </Button>
    </form>
  );
}

function focusFirst(form: HTMLFormElement, name: string): void {
  const control = form.elements.namedItem(name);
  if (control instanceof HTMLInputElement) control.focus();
}
