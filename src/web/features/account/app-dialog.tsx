import { Copy } from '#web/ui/screen-icons.ts';
import { useCallback, type ReactNode, type SubmitEvent } from 'react';
import type { BackendClient } from '#web/backend/client.ts';
import { confirmCode, setUpApp, type AppSetUp } from '#web/backend/second-factors.ts';
import { Button, IconButton } from '#web/ui/button.tsx';
import { Dialog } from '#web/ui/dialog.tsx';
import { Field } from '#web/ui/field.tsx';
import { textOf } from '#web/ui/form-text.ts';
import { useToast } from '#web/ui/toast.tsx';
import { CodeInput } from './code-input.tsx';
import { ErrorNotice } from './notices.tsx';
import { accountTexts } from './texts.ts';
import { useAction } from './use-action.ts';
import { useLoaded } from './use-loaded.ts';

const texts = accountTexts.app;

type AppDialogProps = Readonly<{ name: string; onClose: () => void; onDone: () => void }>;

/** Shows image and key; the app is active after a correct code. */
export function AppDialog({ name, onClose, onDone }: AppDialogProps): ReactNode {
  const begin = useCallback((backend: BackendClient) => setUpApp(backend, name), [name]);
  const { state } = useLoaded(begin);
  return (
    <Dialog open onOpenChange={(next) => !next && onClose()} title={texts.title} description={texts.steps}>
      {state.status === 'loading' && <output>{texts.preparing}</output>}
      {state.status === 'failed' && <ErrorNotice error="failed" />}
      {state.status === 'ready' && !state.value.ok && <ErrorNotice error={state.value.code} />}
      {state.status === 'ready' && state.value.ok && (
        <ConfirmApp app={state.value.value} onClose={onClose} onDone={onDone} />
      )}
    </Dialog>
  );
}

function ConfirmApp({ app, onClose, onDone }: Omit<AppDialogProps, 'name'> & Readonly<{ app: AppSetUp }>): ReactNode {
  const toast = useToast();
  const { busy, error, run } = useAction();
  const confirm = async (code: string): Promise<void> => {
    const done = await run((backend) => confirmCode(backend, app.factorId, code));
    if (done === undefined) return;
    toast({ ...texts.done, variant: 'good' });
    onDone();
  };
  const submit = (event: SubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    void confirm(textOf(event.currentTarget, 'code').replaceAll(/\s/g, ''));
  };
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(app.secret);
    toast(texts.copied);
  };
  return (
    <form noValidate onSubmit={submit} className="flex flex-col gap-5">
      {/* A scanner needs dark on light in every theme. */}
      <img src={app.qrCode} alt={texts.image} className="mx-auto size-48 rounded-control bg-white p-2" />
      <div className="text-sm">
        <p className="text-muted">{texts.secret}</p>
        <div className="mt-1 flex items-center gap-2">
          <code className="min-w-0 flex-1 font-medium break-all select-all">{app.secret}</code>
          <IconButton
            label={texts.copy}
            icon={<Copy aria-hidden className="size-5" />}
            onClick={() => void copy().catch(() => undefined)}
          />
        </div>
      </div>
      <Field label={texts.code} required>
        <CodeInput />
      </Field>
      <ErrorNotice error={error} />
      <div className="flex flex-col-reverse gap-2 sm:flex-row sm:justify-end">
        <Button variant="secondary" onClick={onClose}>
          {accountTexts.cancel}
        </Button>
        <Button type="submit" busy={busy} busyLabel={texts.busy}>
          {texts.submit}
        </Button>
      </div>
    </form>
  );
}
