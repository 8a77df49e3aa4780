import { Fingerprint } from '#web/ui/screen-icons.ts';
import { useState, type ReactNode, type SubmitEvent } from 'react';
import type { BackendClient } from '#web/backend/client.ts';
import type { ActionResult } from '#web/backend/own-account.ts';
import { confirmCode, confirmPasskey, verifiedFactors, type Factor } from '#web/backend/second-factors.ts';
import { Button } from '#web/ui/button.tsx';
import { Field } from '#web/ui/field.tsx';
import { textOf } from '#web/ui/form-text.ts';
import { Notice } from '#web/ui/notice.tsx';
import { ScreenTitle } from '#web/ui/screen-title.tsx';
import { Select } from '#web/ui/select.tsx';
import { ErrorScreen, LoadingScreen } from '#web/ui/state-screens.tsx';
import { useToast } from '#web/ui/toast.tsx';
import { CodeInput } from './code-input.tsx';
import { ErrorNotice } from './notices.tsx';
import { accountTexts } from './texts.ts';
import { useAction } from './use-action.ts';
import { useLoaded } from './use-loaded.ts';

const texts = accountTexts.confirm;

/** Asks for the second factor after the password. The session's event then opens the application. */
export function SecondFactorScreen({ onLogout }: Readonly<{ onLogout: () => void }>): ReactNode {
  const { state, reload } = useLoaded(verifiedFactors);
  if (state.status === 'loading') return <LoadingScreen text={accountTexts.loading} />;
  if (state.status === 'failed' || !state.value.ok) {
    return (
      <ErrorScreen title={accountTexts.loadFailed} action={<Button onClick={reload}>{accountTexts.retry}</Button>}>
        {accountTexts.errors.unreachable}
      </ErrorScreen>
    );
  }
  return (
    <div className="mx-auto flex w-full max-w-md flex-1 flex-col justify-center px-4 py-10 sm:px-6 sm:py-16">
      <ScreenTitle className="text-2xl">{texts.title}</ScreenTitle>
      <p className="mt-3 mb-8 text-muted">{texts.lead}</p>
      <Confirmation factors={state.value.value} />
      <p className="mt-6 text-sm text-muted">{texts.lost}</p>
      <div className="mt-2">
        <Button variant="secondary" onClick={onLogout}>
          {texts.logout}
        </Button>
      </div>
    </div>
  );
}

function Confirmation({ factors }: Readonly<{ factors: readonly Factor[] }>): ReactNode {
  const { busy, error, run } = useAction();
  const [missing, setMissing] = useState(false);
  const apps = factors.filter(({ kind }) => kind === 'app');
  const [chosen, setChosen] = useState(0);
  const app = apps[chosen];
  const toast = useToast();
  const passkey = factors.find(({ kind }) => kind === 'passkey');
  const confirm = async (action: (backend: BackendClient) => Promise<ActionResult>): Promise<void> => {
    if ((await run(action)) !== undefined) toast({ ...texts.entered, variant: 'good' });
  };
  const submit = (event: SubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const code = textOf(event.currentTarget, 'code').replaceAll(/\s/g, '');
    setMissing(!/^\d{6}$/.test(code));
    if (app !== undefined && /^\d{6}$/.test(code)) void confirm((backend) => confirmCode(backend, app.id, code));
  };
  return (
    <div className="flex flex-col gap-5">
      {app !== undefined && (
        <form noValidate onSubmit={submit} className="flex flex-col gap-5">
          {apps.length > 1 && (
            <Field label={texts.which}>
              <Select value={String(chosen)} onChange={(event) => setChosen(Number(event.target.value))}>
                {apps.map(({ id, name }, index) => (
                  <option key={id} value={index}>
                    {name === '' ? accountTexts.factors.app : name}
                  </option>
                ))}
              </Select>
            </Field>
          )}
          <Field label={texts.code} error={missing ? texts.codeMissing : undefined} required>
            <CodeInput />
          </Field>
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
          icon={<Fingerprint aria-hidden className="size-5" />}
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
