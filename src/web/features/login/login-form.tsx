import { type ReactNode, type SubmitEvent, useRef, useState } from 'react';
import type { SignInResult } from '#web/backend/sign-in.ts';
import { useSessionStore } from '#web/backend/session.ts';
import { Button } from '#web/ui/button.tsx';
import { EmailField, PasswordField } from '#web/ui/form-fields.tsx';
import { useInlineMessage } from '#web/ui/notice.tsx';
import { useToast } from '#web/ui/toast.tsx';
import { loadSignIn, validateEmail, readField } from './address-form.tsx';
import { CaptchaField, useCaptcha } from './captcha/captcha-field.tsx';
import { loginTexts } from './texts.ts';

export function LoginForm(): ReactNode {
  const { busy, login, message } = useLogin();
  const captcha = useCaptcha();
  const [problems, setProblems] = useState<Readonly<{ email?: string | undefined; password?: string | undefined }>>({});
  const submit = (event: SubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const email = readField(event.currentTarget, 'email').trim();
    const password = readField(event.currentTarget, 'password');
    const found = { email: validateEmail(email), password: password === '' ? loginTexts.passwordMissing : undefined };
    setProblems(found);
    if (found.email !== undefined || found.password !== undefined) {
      focusFirst(event.currentTarget, found.email === undefined ? 'password' : 'email');
      return;
    }
    const form = event.currentTarget;
    const refuse = (): void => {
      setProblems({ email: undefined, password: loginTexts.credentialsWrong });
      focusFirst(form, 'password');
    };
    const proof = busy ? undefined : captcha.take();
    if (proof?.ok === true) void login({ email, password, captchaToken: proof.token }, refuse);
  };
  return (
    <form noValidate onSubmit={submit} className="flex flex-col gap-5">
      <EmailField label={loginTexts.email} name="email" autoComplete="username" error={problems.email} />
      <PasswordField
        label={loginTexts.password}
        name="password"
        autoComplete="current-password"
        error={problems.password}
      />
      <CaptchaField captcha={captcha} />
      {message}
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

type Credentials = Readonly<{ email: string; password: string; captchaToken: string | undefined }>;

type Login = (credentials: Credentials, onWrong: () => void) => Promise<void>;

/**
 * Signs in and ignores a second submit meanwhile (§2.2). The screen that follows says that it has worked (§8); what
 * went wrong stands in the form until the next try. `onWrong` marks the field.
 */
function useLogin(): Readonly<{ busy: boolean; login: Login; message: ReactNode }> {
  const store = useSessionStore();
  const toast = useToast();
  const [message, show] = useInlineMessage();
  const running = useRef(false);
  const [busy, setBusy] = useState(false);
  const login: Login = async (credentials, onWrong) => {
    if (running.current) return;
    running.current = true;
    setBusy(true);
    show();
    try {
      const [backend, calls] = await Promise.all([store.backend(), loadSignIn()]);
      const result = await calls.signIn(backend, credentials);
      const session = store.getState();
      // A second factor is still due; the next screen shows the toast.
      if (result.ok && session.status === 'signed-in' && session.factor === 'due') return;
      if (!result.ok && result.reason === 'credentials') onWrong();
      if (result.ok) toast({ ...loginTexts.toasts.success, variant: 'good' });
      else show({ ...describeFailure(result), variant: 'destructive' });
    } catch {
      show({ ...loginTexts.toasts.exception, variant: 'destructive' });
    } finally {
      running.current = false;
      setBusy(false);
    }
  };
  return { busy, login, message };
}

function describeFailure(
  result: Exclude<SignInResult, { ok: true }>,
): Readonly<{ title: string; description: string }> {
  switch (result.reason) {
    case 'credentials':
      return loginTexts.toasts.credentials;
    case 'captcha':
      return loginTexts.toasts.captcha;
    case 'rejected':
      return loginTexts.toasts.rejected(result.message);
    case 'unexpected':
      return loginTexts.toasts.unexpected;
    default:
      return loginTexts.toasts.exception;
  }
}
