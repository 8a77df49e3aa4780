import { type ReactNode, type SubmitEvent, useRef, useState } from 'react';
import type { SetPasswordResult } from '#web/backend/sign-in.ts';
import { useSession, useSessionStore } from '#web/backend/session.ts';
import { Button, ButtonLink } from '#web/ui/button.tsx';
import { PasswordField } from '#web/ui/form-fields.tsx';
import { useNavigate } from '#web/ui/link.tsx';
import { ErrorScreen, LoadingScreen } from '#web/ui/state-screens.tsx';
import { useToast } from '#web/ui/toast.tsx';
import { AccountColumn, FailureNotice, type FormState, useAccountRequest, readField } from './address-form.tsx';
import { newPasswordTexts as texts } from './texts.ts';

/** D15: sets a new password with the session that a mail's link or code opened; others are told to use the account. */
export function NewPasswordScreen(): ReactNode {
  const session = useSession();
  if (session.status === 'initialising') return <LoadingScreen text={texts.checking} />;
  if (session.status === 'signed-out') {
    return (
      <ErrorScreen
        title={texts.expiredTitle}
        action={
          <ButtonLink href="/passwort-vergessen" variant="primary">
            {texts.reload}
          </ButtonLink>
        }
      >
        {texts.expired}
      </ErrorScreen>
    );
  }
  return (
    <AccountColumn title={texts.title} lead={texts.lead}>
      <NewPasswordForm />
    </AccountColumn>
  );
}

const MIN_LENGTH = 10;

type State = Omit<FormState, 'problem'> & Readonly<{ problem?: 'short' | 'different' }>;

function NewPasswordForm(): ReactNode {
  const store = useSessionStore();
  const request = useAccountRequest();
  const navigate = useNavigate();
  const toast = useToast();
  const form = useRef<HTMLFormElement>(null);
  const [state, setState] = useState<State>({ busy: false });
  const save = async (password: string): Promise<void> => {
    setState({ busy: true });
    const result = await request((calls, backend) => calls.setPassword(backend, password));
    const failure = formatFailure(result);
    if (failure !== undefined) {
      setState({ busy: false, failure });
      return;
    }
    store.dispatch({ type: 'password-set' });
    toast({ ...texts.saved, variant: 'good' });
    // Null once the screen has been left.
    if (form.current !== null) navigate('/login', { replace: true });
  };
  const submit = (event: SubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    if (state.busy) return;
    const password = readField(event.currentTarget, 'password');
    if (password.length < MIN_LENGTH) setState({ busy: false, problem: 'short' });
    else if (password !== readField(event.currentTarget, 'repeat')) setState({ busy: false, problem: 'different' });
    else void save(password);
  };
  return (
    <form ref={form} noValidate onSubmit={submit} className="flex flex-col gap-5">
      <PasswordField
        label={texts.password}
        name="password"
        autoComplete="new-password"
        hint={texts.hint(MIN_LENGTH)}
        error={state.problem === 'short' ? texts.tooShort(MIN_LENGTH) : undefined}
      />
      <PasswordField
        label={texts.repeat}
        name="repeat"
        autoComplete="new-password"
        error={state.problem === 'different' ? texts.different : undefined}
      />
      <FailureNotice text={state.failure} />
      <Button type="submit" wide busy={state.busy} busyLabel={texts.submitting}>
        {texts.submit}
      </Button>
    </form>
  );
}

function formatFailure(result: SetPasswordResult | 'unreachable'): string | undefined {
  if (result === 'unreachable') return texts.failed;
  if (result.ok) return undefined;
  return result.reason === 'session' ? texts.expiredTitle : texts[result.reason];
}
