import { Fingerprint, ShieldCheck, Smartphone, Trash2 } from '#web/ui/screen-icons.ts';
import { useState, type ReactNode } from 'react';
import { addPasskey, removeFactor, verifiedFactors, type Factor } from '#web/backend/second-factors.ts';
import { Button, IconButton } from '#web/ui/button.tsx';
import { SectionCard } from '#web/ui/card.tsx';
import { ConfirmDialog } from '#web/ui/dialog.tsx';
import { Notice } from '#web/ui/notice.tsx';
import { useToast } from '#web/ui/toast.tsx';
import { AppDialog } from './app-dialog.tsx';
import { formatLongDate } from './moments.ts';
import { ErrorNotice, LoadFailedNotice } from './notices.tsx';
import { accountTexts } from './texts.ts';
import { useAction } from './use-action.ts';
import { useLoaded } from './use-loaded.ts';

const texts = accountTexts.factors;

export function FactorsSection({ required }: Readonly<{ required: boolean }>): ReactNode {
  const { state, reload } = useLoaded(verifiedFactors);
  const { busy, error, run } = useAction();
  const toast = useToast();
  const [open, setOpen] = useState<'app' | Factor>();
  const known = state.status === 'ready' && state.value.ok ? state.value.value : undefined;
  const factors = known ?? [];
  const passkey = async (): Promise<void> => {
    const done = await run((backend) => addPasskey(backend, chooseFactorName(texts.passkey, factors)));
    if (done === undefined) return;
    toast({ ...texts.passkeyDone, variant: 'good' });
    reload();
  };
  const remove = async (factor: Factor): Promise<void> => {
    setOpen(undefined);
    const done = await run((backend) => removeFactor(backend, factor.id));
    if (done === undefined) return;
    toast({ ...texts.removed, variant: 'good' });
    reload();
  };
  return (
    <SectionCard title={texts.title}>
      {required && known?.length === 0 && (
        <div className="mb-5">
          <Notice tone="caution" live>
            {texts.required}
          </Notice>
        </div>
      )}
      <p className="text-muted">{texts.lead}</p>
      {state.status === 'loading' && <output className="my-4 block font-medium">{accountTexts.loading}</output>}
      {state.status !== 'loading' && known === undefined && (
        <div className="my-4">
          <LoadFailedNotice onRetry={reload} />
        </div>
      )}
      {known !== undefined && <FactorList factors={known} onRemove={setOpen} />}
      <div className="flex flex-col gap-4">
        <ErrorNotice error={error} />
        <div className="flex flex-wrap gap-2">
          <Button
            variant="secondary"
            icon={<Smartphone aria-hidden className="size-5" />}
            onClick={() => setOpen('app')}
          >
            {texts.addApp}
          </Button>
          {'PublicKeyCredential' in globalThis && (
            <Button
              variant="secondary"
              icon={<Fingerprint aria-hidden className="size-5" />}
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
            setOpen(undefined);
            reload();
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
          <ShieldCheck aria-hidden className="size-5 shrink-0 text-good-ink" />
          <div className="min-w-0 flex-1">
            <p className="truncate font-medium">{formatFactor(factor)}</p>
            <p className="text-sm text-muted">{texts.since(formatLongDate(factor.createdAt))}</p>
          </div>
          <IconButton
            label={texts.remove(formatFactor(factor))}
            icon={<Trash2 aria-hidden className="size-5" />}
            onClick={() => onRemove(factor)}
          />
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
