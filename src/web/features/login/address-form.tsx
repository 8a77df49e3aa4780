import { type ReactNode, type SubmitEvent, useEffect, useRef, useState } from 'react';
import type { BackendClient } from '#web/backend/client.ts';
import { useAppConfig } from '#web/backend/config.ts';
import { laterPart } from '#web/backend/later-part.ts';
import type { Departure } from '#web/backend/other-logins.ts';
import { useSessionStore } from '#web/backend/session.ts';
import { Button } from '#web/ui/button.tsx';
import { EMAIL_PATTERN, EmailField } from '#web/ui/form-fields.tsx';
import { Link, useNavigate } from '#web/ui/link.tsx';
import { Notice } from '#web/ui/notice.tsx';
import { ScreenTitle } from '#web/ui/screen-title.tsx';
import { CaptchaField, useCaptcha } from './captcha/captcha-field.tsx';
import { loginTexts } from './texts.ts';

/** `problem`: what is wrong with the input. `failure`: why the request failed. */
export type FormState = Readonly<{ busy: boolean; problem?: string | undefined; failure?: string | undefined }>;

type AddressFormProps = Readonly<{
  submitLabel: string;
  busyLabel: string;
  defaultValue?: string;
  /** Returns the text of a failure, or undefined when the next screen follows. */
  send: (email: string, captchaToken: string | undefined) => Promise<string | undefined>;
}>;

/** Asks for an address and, where the backend requires it, a captcha. */
export function AddressForm({ submitLabel, busyLabel, defaultValue, send }: AddressFormProps): ReactNode {
  const captcha = useCaptcha();
  const [state, setState] = useState<FormState>({ busy: false });
  const submit = async (event: SubmitEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    if (state.busy) return;
    const email = readField(event.currentTarget, 'email').trim();
    const problem = validateEmail(email);
    const proof = problem === undefined ? captcha.take() : undefined;
    setState({ busy: proof?.ok === true, problem });
    if (proof?.ok !== true) return;
    setState({ busy: false, failure: await send(email, proof.token) });
  };
  return (
    <form noValidate onSubmit={(event) => void submit(event)} className="flex flex-col gap-5">
      <EmailField
        label={loginTexts.email}
        name="email"
        autoComplete="username"
        defaultValue={defaultValue}
        error={state.problem}
      />
      <CaptchaField captcha={captcha} />
      <FailureNotice text={state.failure} />
      <Button type="submit" wide busy={state.busy} busyLabel={busyLabel}>
        {submitLabel}
      </Button>
    </form>
  );
}

export function validateEmail(email: string): string | undefined {
  if (email === '') return loginTexts.emailMissing;
  return EMAIL_PATTERN.test(email) ? undefined : loginTexts.emailInvalid;
}

export const loadSignIn = laterPart('sign-in', () => import('#web/backend/sign-in.ts'));
type SignInCalls = Awaited<ReturnType<typeof loadSignIn>>;

/** Runs a request with the modules that load after the form; 'unreachable' if they or the server do not answer. */
export function useAccountRequest() {
  const store = useSessionStore();
  return <T,>(request: (calls: SignInCalls, backend: BackendClient) => Promise<T>): Promise<T | 'unreachable'> =>
    Promise.all([loadSignIn(), store.backend()])
      .then(([calls, backend]) => request(calls, backend))
      .catch(() => 'unreachable' as const);
}

export const loadOtherLogins = laterPart('other-logins', () => import('#web/backend/other-logins.ts'));
type OtherLoginCalls = Awaited<ReturnType<typeof loadOtherLogins>>;

/** Goes to another login, unless this one was left or used before the answer; otherwise returns why not. */
export function useDeparture() {
  const store = useSessionStore();
  return async (ask: (calls: OtherLoginCalls, backend: BackendClient) => Promise<Departure>) => {
    const from = location.href;
    const answer = await Promise.all([loadOtherLogins(), store.backend()])
      .then(([calls, backend]) => ask(calls, backend))
      .catch(() => ({ kind: 'unreachable' }) as const);
    if (answer.kind !== 'go') return answer.kind;
    if (location.href !== from || store.getState().status === 'signed-in') return undefined;
    location.assign(answer.url);
    // On 'Back' the browser may restore this page from its cache, where the button would still be busy.
    await new Promise((resolve) => window.addEventListener('pageshow', resolve, { once: true }));
    return undefined;
  };
}

type AccountColumnProps = Readonly<{
  title: string;
  lead: string;
  /** Whether a mail is asked for here. */
  mails?: boolean;
  children: ReactNode;
}>;

/** Lays out the screens around the login in a narrow column. */
export function AccountColumn({ title, lead, mails = false, children }: AccountColumnProps): ReactNode {
  const { accountMails } = useAppConfig();
  return (
    <div className="mx-auto w-full max-w-md px-4 pt-[max(2.5rem,14vh)] pb-10 sm:px-6 sm:pb-16">
      <ScreenTitle className="text-2xl">{title}</ScreenTitle>
      <p className="mt-3 mb-8 text-muted">{lead}</p>
      {mails && accountMails === false && (
        <Notice tone="caution" className="mb-6">
          {loginTexts.noMails}
        </Notice>
      )}
      {children}
    </div>
  );
}

export function BackToLogin(): ReactNode {
  return (
    <p className="mt-6">
      <Link href="/login" className="touch inline-flex items-center">
        {loginTexts.back}
      </Link>
    </p>
  );
}

/** Says why a request failed. */
export function FailureNotice({ text }: Readonly<{ text: string | undefined }>): ReactNode {
  if (text === undefined) return null;
  return (
    <Notice tone="error" live>
      {text}
    </Notice>
  );
}

/** What stands in a text field of a form; '' where there is none of that name. */
export function readField(form: HTMLFormElement, name: string): string {
  const value = new FormData(form).get(name);
  return typeof value === 'string' ? value : '';
}

/** To where the login leads, also where the password was set in another tab, which the link had opened. */
export function useLeaveOnceSet(recovery: boolean): void {
  const navigate = useNavigate();
  const due = useRef(false);
  useEffect(() => {
    if (due.current && !recovery) navigate('/login', { replace: true });
    due.current = recovery;
  }, [recovery, navigate]);
}
