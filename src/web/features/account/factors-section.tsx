import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useBackend } from '#web/backend/client.ts';
import {
  addPasskey,
  type AppSetUp,
  confirmCode,
  type Factor,
  removeFactor,
  setUpApp,
  verifiedFactors,
} from '#web/backend/own-account.ts';
import { Button, IconButton } from '#web/ui/button.tsx';
import { SectionCard } from '#web/ui/card.tsx';
import { CopyButton } from '#web/ui/copy-button.tsx';
import { ConfirmDialog, Dialog } from '#web/ui/dialog.tsx';
import { SubmitRow } from '#web/ui/form-fields.tsx';
import { Notice } from '#web/ui/notice.tsx';
import { Fingerprint, ShieldCheck, Smartphone, Trash2 } from '#web/ui/screen-icons.ts';
import { useForm } from '#web/ui/use-form.ts';
import {
  CodeField,
  CodeForm,
  type DoneMessage,
  DoneNotice,
  ErrorNotice,
  formatLongDate,
  getAccountError,
  LoadFailedNotice,
  useAccountAction,
  useReloadSessions,
} from './account-action.tsx';
import { accountTexts } from './texts.ts';

const texts = accountTexts.factors;

/** The second factors of the own account. */
export function useFactors() {
  const backend = useBackend();
  return useQuery({ queryKey: ['account', 'factors'], queryFn: () => verifiedFactors(backend) });
}

export function FactorsSection({ required }: Readonly<{ required: boolean }>): ReactNode {
  const { data: known, isPending, refetch } = useFactors();
  const { busy, error, run } = useAccountAction();
  const [done, setDone] = useState<DoneMessage>();
  const [open, setOpen] = useState<'app' | Factor>();
  const reloadSessions = useReloadSessions();
  const factors = known ?? [];
  const passkey = async (): Promise<void> => {
    setDone(undefined);
    if (!(await run((backend) => addPasskey(backend, chooseFactorName(texts.passkey, factors))))) return;
    setDone(texts.passkeyDone);
    reloadSessions();
    await refetch();
  };
  const remove = async (factor: Factor): Promise<void> => {
    setOpen(undefined);
    setDone(undefined);
    if (!(await run((backend) => removeFactor(backend, factor.id)))) return;
    setDone(texts.removed);
    await refetch();
  };
  return (
    <SectionCard title={texts.title}>
      {required && known?.length === 0 && (
        <Notice className="mb-5" tone="caution" live>
          {texts.required}
        </Notice>
      )}
      <p className="text-muted">{texts.lead}</p>
      {isPending && <output className="my-4 block font-medium">{accountTexts.loading}</output>}
      {!isPending && known === undefined && (
        <div className="my-4">
          <LoadFailedNotice onRetry={() => void refetch()} />
        </div>
      )}
      {known !== undefined && <FactorList factors={known} onRemove={setOpen} />}
      <div className="flex flex-col gap-4">
        <ErrorNotice error={error} />
        <DoneNotice message={done} />
        <div className="flex flex-wrap gap-2">
          <Button variant="secondary" icon={Smartphone} onClick={() => setOpen('app')}>
            {texts.addApp}
          </Button>
          {'PublicKeyCredential' in globalThis && (
            <Button
              variant="secondary"
              icon={Fingerprint}
              busy={busy}
              busyLabel={texts.passkeyBusy}
              onClick={() => void passkey()}
            >
              {texts.addPasskey}
            </Button>
          )}
        </div>
        <p className="text-sm text-muted">{texts.advice}</p>
      </div>
      {open === 'app' && (
        <AppDialog
          name={chooseFactorName(texts.app, factors)}
          onClose={() => setOpen(undefined)}
          onDone={() => {
            setOpen((now) => (now === 'app' ? undefined : now));
            setDone(accountTexts.app.done);
            reloadSessions();
            void refetch();
          }}
        />
      )}
      <ConfirmDialog
        open={open !== undefined && open !== 'app'}
        title={texts.removeTitle}
        description={texts.removeText}
        confirmLabel={texts.removeConfirm}
        tone="danger"
        onConfirm={() => open !== undefined && open !== 'app' && void remove(open)}
        onCancel={() => setOpen(undefined)}
      />
    </SectionCard>
  );
}

type FactorListProps = Readonly<{ factors: readonly Factor[]; onRemove: (factor: Factor) => void }>;

function FactorList({ factors, onRemove }: FactorListProps): ReactNode {
  if (factors.length === 0) return <p className="my-4 font-medium">{texts.none}</p>;
  return (
    <ul className="my-4 divide-y divide-line border-y border-line">
      {factors.map((factor) => (
        <li key={factor.id} className="flex items-center gap-3 py-3">
          <ShieldCheck className="size-5 shrink-0 text-good-ink" />
          <div className="min-w-0 flex-1">
            <p className="truncate font-medium">{formatFactor(factor)}</p>
            <p className="text-sm text-muted">{texts.since(formatLongDate(factor.createdAt))}</p>
          </div>
          <IconButton label={texts.remove(formatFactor(factor))} icon={Trash2} onClick={() => onRemove(factor)} />
        </li>
      ))}
    </ul>
  );
}

function formatFactor(factor: Factor): string {
  return factor.name === '' ? texts[factor.kind] : factor.name;
}

/** The backend requires distinct names. */
function chooseFactorName(kind: string, factors: readonly Factor[]): string {
  const taken = new Set(factors.map(({ name }) => name));
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? kind : `${kind} ${number}`;
    if (!taken.has(name)) return name;
  }
}

const appTexts = accountTexts.app;

type AppDialogProps = Readonly<{ name: string; onClose: () => void; onDone: () => void }>;

/** Shows image and key; the app is active after a correct code. */
function AppDialog({ name, onClose, onDone }: AppDialogProps): ReactNode {
  const backend = useBackend();
  const { data, error, isPending } = useQuery({
    queryKey: ['account', 'new app', name],
    queryFn: () => setUpApp(backend, name),
    staleTime: Infinity,
  });
  return (
    <Dialog open onOpenChange={(next) => !next && onClose()} title={appTexts.title} description={appTexts.steps}>
      {isPending && <output>{appTexts.preparing}</output>}
      <ErrorNotice error={getAccountError(error)} />
      {data !== undefined && <ConfirmApp app={data} onClose={onClose} onDone={onDone} />}
    </Dialog>
  );
}

function ConfirmApp({ app, onClose, onDone }: Omit<AppDialogProps, 'name'> & Readonly<{ app: AppSetUp }>): ReactNode {
  const { busy, error, run } = useAccountAction();
  const { submit, field } = useForm(CodeForm, { code: '' }, async ({ code }) => {
    if (await run((backend) => confirmCode(backend, app.factorId, code))) onDone();
  });
  return (
    <form noValidate onSubmit={submit} className="flex flex-col gap-5">
      {/* A scanner needs dark on light in every theme. */}
      <img src={app.qrCode} alt={appTexts.image} className="mx-auto size-48 rounded-control bg-[white] p-2" />
      <div className="text-sm">
        <p className="text-muted">{appTexts.secret}</p>
        <div translate="no" className="mt-1 flex flex-wrap items-center gap-2">
          <code className="min-w-0 flex-1 font-medium break-all select-all">{app.secret}</code>
          <CopyButton compact text={app.secret} label={appTexts.copy} failed={appTexts.copyFailed} />
        </div>
      </div>
      <CodeField label={appTexts.code} {...field('code')} />
      <ErrorNotice error={error} />
      <SubmitRow busy={busy} busyLabel={appTexts.busy} label={appTexts.submit} onCancel={onClose} />
    </form>
  );
}
