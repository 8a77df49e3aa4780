import { useState, type ReactNode, type SubmitEvent } from 'react';
import type { SetPasswordResult } from '#web/backend/account.ts';
import { useSession, useSessionStore } from '#web/backend/session.ts';
import { Button, ButtonLink } from '#web/ui/button.tsx';
import { Field } from '#web/ui/field.tsx';
import { textOf } from '#web/ui/form-text.ts';
import { useNavigate } from '#web/ui/link.tsx';
import { Notice } from '#web/ui/notice.tsx';
import { PasswordInput } from '#web/ui/password-input.tsx';
import { ErrorScreen, LoadingScreen } from '#web/ui/state-screens.tsx';
import { useToast } from '#web/ui/toast.tsx';
import { AccountColumn } from './account-column.tsx';
import { loginTexts, newPasswordTexts as texts } from './texts.ts';

/** D15: sets a new password, with the session of the mail's link or the current one. */
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

type State = Readonly<{ busy: boolean; short?: boolean; different?: boolean; failure?: string }>;

function NewPasswordForm(): ReactNode {
  const store = useSessionStore();
  const navigate = useNavigate();
  const toast = useToast();
  const [state, setState] = useState<State>({ busy: false });
  const save = async (password: string): Promise<void> => {
    setState({ busy: true });
    const result = await Promise.all([store.backend(), import('#web/backend/account.ts')])
      .then(([backend, account]) => account.setPassword(backend, password))
      .catch((): SetPasswordResult => ({ ok: false, reason: 'failed' }));
    if (!result.ok) {
      setState({ busy: false, failure: formatFailure(result.reason) });
      return;
    }
    store.dispatch({ type: 'password-set' });
    toast({ ...texts.saved, variant: 'good' });
    navigate('/login', { replace: true });
  };
  const submit = (event: SubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    if (state.busy) return;
    const password = textOf(event.currentTarget, 'password');
    const short = password.length < MIN_LENGTH;
    const different = !short && password !== textOf(event.currentTarget, 'repeat');
    if (short || different) setState({ busy: false, short, different });
    else void save(password);
  };
  const eye = { showLabel: loginTexts.showPassword, hideLabel: loginTexts.hidePassword };
  return (
    <form noValidate onSubmit={submit} className="flex flex-col gap-5">
      <Field
        label={texts.password}
        hint={texts.hint(MIN_LENGTH)}
        error={state.short === true ? texts.tooShort(MIN_LENGTH) : undefined}
        required
      >
        <PasswordInput name="password" autoComplete="new-password" {...eye} />
      </Field>
      <Field label={texts.repeat} error={state.different === true ? texts.different : undefined} required>
        <PasswordInput name="repeat" autoComplete="new-password" {...eye} />
      </Field>
      {state.failure !== undefined && (
        <Notice tone="error" live>
          {state.failure}
        </Notice>
      )}
      <Button type="submit" wide busy={state.busy} busyLabel={texts.submitting}>
        {texts.submit}
      </Button>
    </form>
  );
}

function formatFailure(reason: 'weak' | 'same' | 'session' | 'failed'): string {
  return reason === 'session' ? texts.expiredTitle : texts[reason];
}
