import type { ReactNode } from 'react';
import { useQuery } from '@tanstack/react-query';
import { useBackend } from '#web/backend/client.ts';
import { confirmCode, setUpApp, type AppSetUp } from '#web/backend/second-factors.ts';
import { CopyButton } from '#web/ui/copy-button.tsx';
import { Dialog } from '#web/ui/dialog.tsx';
import { SubmitRow } from '#web/ui/form-fields.tsx';
import { useForm } from '#web/ui/use-form.ts';
import { CodeField, CodeForm } from './code-field.tsx';
import { ErrorNotice } from './notices.tsx';
import { accountTexts } from './texts.ts';
import { getAccountError, unwrap, useAccountAction } from './use-account-action.ts';

const texts = accountTexts.app;

type AppDialogProps = Readonly<{ name: string; onClose: () => void; onDone: () => void }>;

/** Shows image and key; the app is active after a correct code. */
export function AppDialog({ name, onClose, onDone }: AppDialogProps): ReactNode {
  const backend = useBackend();
  const { data, error, isPending } = useQuery({
    queryKey: ['account', 'new app', name],
    queryFn: async () => unwrap(await setUpApp(backend, name)),
    staleTime: Infinity,
  });
  return (
    <Dialog open onOpenChange={(next) => !next && onClose()} title={texts.title} description={texts.steps}>
      {isPending && <output>{texts.preparing}</output>}
      <ErrorNotice error={getAccountError(error)} />
      {data !== undefined && <ConfirmApp app={data} onClose={onClose} onDone={onDone} />}
    </Dialog>
  );
}

function ConfirmApp({ app, onClose, onDone }: Omit<AppDialogProps, 'name'> & Readonly<{ app: AppSetUp }>): ReactNode {
  const { busy, error, run } = useAccountAction();
  const { submit, field } = useForm(CodeForm, { code: '' }, async ({ code }) => {
    if (!(await run((backend) => confirmCode(backend, app.factorId, code)))) return;
    onDone();
  });
  return (
    <form noValidate onSubmit={submit} className="flex flex-col gap-5">
      {/* A scanner needs dark on light in every theme. */}
      <img src={app.qrCode} alt={texts.image} className="mx-auto size-48 rounded-control bg-white p-2" />
      <div className="text-sm">
        <p className="text-muted">{texts.secret}</p>
        <div className="mt-1 flex flex-wrap items-center gap-2">
          <code className="min-w-0 flex-1 font-medium break-all select-all">{app.secret}</code>
          <CopyButton compact text={app.secret} label={texts.copy} failed={texts.copyFailed} />
        </div>
      </div>
      <CodeField label={texts.code} {...field('code')} />
      <ErrorNotice error={error} />
      <SubmitRow busy={busy} busyLabel={texts.busy} label={texts.submit} onCancel={onClose} />
    </form>
  );
}
