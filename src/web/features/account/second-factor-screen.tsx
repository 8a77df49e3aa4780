import { type ReactNode, useEffect, useState } from 'react';
import { confirmCode, confirmPasskey, type Factor } from '#web/backend/own-account.ts';
import { useSessionStore } from '#web/backend/session.ts';
import { Button } from '#web/ui/button.tsx';
import { Field, Select } from '#web/ui/field.tsx';
import { Notice } from '#web/ui/notice.tsx';
import { Fingerprint } from '#web/ui/screen-icons.ts';
import { ScreenTitle } from '#web/ui/screen-title.tsx';
import { ErrorScreen, LoadingScreen } from '#web/ui/state-screens.tsx';
import { useToast } from '#web/ui/toast.tsx';
import { useForm } from '#web/ui/use-form.ts';
import { CodeField, CodeForm, ErrorNotice, useAccountAction } from './account-action.tsx';
import { useFactors } from './factors-section.tsx';
import { accountTexts } from './texts.ts';

const texts = accountTexts.confirm;

/** Asks for the second factor after the password. The session's event then opens the application. */
export function SecondFactorScreen({ onLogout }: Readonly<{ onLogout: () => void }>): ReactNode {
  const { data: factors, isPending, refetch } = useFactors();
  const store = useSessionStore();
  useEffect(() => {
    // An administrator has removed it: a new token knows of no factor that is due.
    if (factors?.length === 0) void store.recheck();
  }, [factors, store]);
  if (isPending) return <LoadingScreen text={accountTexts.loading} />;
  if (factors === undefined) {
    return (
      <ErrorScreen
        title={accountTexts.loadFailed}
        action={<Button onClick={() => void refetch()}>{accountTexts.retry}</Button>}
      >
        {accountTexts.errors.unreachable}
      </ErrorScreen>
    );
  }
  return (
    <div className="mx-auto w-full max-w-md px-4 pt-[max(2.5rem,14vh)] pb-10 sm:px-6 sm:pb-16">
      <ScreenTitle className="text-2xl">{texts.title}</ScreenTitle>
      <p className="mt-3 mb-8 text-muted">{texts.lead}</p>
      <Confirmation factors={factors} onRefused={() => void refetch()} />
      <p className="mt-6 text-sm text-muted">{texts.lost}</p>
      <div className="mt-2">
        <Button variant="secondary" onClick={onLogout}>
          {texts.logout}
        </Button>
      </div>
    </div>
  );
}

type ConfirmationProps = Readonly<{ factors: readonly Factor[]; onRefused: () => void }>;

function Confirmation({ factors, onRefused }: ConfirmationProps): ReactNode {
  const { busy, error, run } = useAccountAction();
  const apps = factors.filter(({ kind }) => kind === 'app');
  const [chosen, setChosen] = useState(0);
  const app = apps[chosen];
  const toast = useToast();
  const store = useSessionStore();
  const passkey = factors.find(({ kind }) => kind === 'passkey');
  const confirm = async (action: Parameters<typeof run>[0]): Promise<void> => {
    if (!(await run(action))) onRefused();
    // The person may have logged out before the answer.
    else if (store.getState().status === 'signed-in') toast({ ...texts.entered, variant: 'good' });
  };
  const { submit, field } = useForm(CodeForm, { code: '' }, ({ code }) => {
    if (app !== undefined) void confirm((backend) => confirmCode(backend, app.id, code));
  });
  return (
    <div className="flex flex-col gap-5">
      {app !== undefined && (
        <form noValidate onSubmit={submit} className="flex flex-col gap-5">
          {apps.length > 1 && (
            <Field label={texts.which}>
              <Select
                value={String(chosen)}
                onChange={(event) => setChosen(Number(event.target.value))}
                options={apps.map(({ name }, index) => [String(index), name === '' ? accountTexts.factors.app : name])}
              />
            </Field>
          )}
          <CodeField label={texts.code} {...field('code')} />
          <Button type="submit" wide busy={busy} busyLabel={texts.busy}>
            {texts.submit}
          </Button>
        </form>
      )}
      {app !== undefined && passkey !== undefined && <p className="text-center text-sm text-muted">{texts.or}</p>}
      {passkey !== undefined && (
        <Button
          wide
          variant={app === undefined ? 'primary' : 'secondary'}
          icon={Fingerprint}
          busy={busy}
          busyLabel={texts.busy}
          onClick={() => void confirm((backend) => confirmPasskey(backend, passkey.id))}
        >
          {texts.passkey}
        </Button>
      )}
      {app === undefined && passkey === undefined && <Notice tone="caution">{texts.none}</Notice>}
      <ErrorNotice error={error} />
    </div>
  );
}
