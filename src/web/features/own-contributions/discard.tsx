import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { AREAS } from '#contract/areas.ts';
import { formatKind } from '#contract/labels.ts';
import type { OwnContribution } from '#contract/own-contributions.ts';
import { type BackendClient, useBackend } from '#web/backend/client.ts';
import { isKind } from '#web/backend/errors.ts';
import { discardContribution } from '#web/backend/own-contributions.ts';
import { useAction } from '#web/backend/server-state.tsx';
import { forgetContribution, listKept } from '#web/submission/contribution-client.ts';
import { browserOutbox, ownerHere } from '#web/submission/outbox/outbox.ts';
import { submissionStore } from '#web/submission/store.ts';
import { Button } from '#web/ui/button.tsx';
import { ConfirmDialog } from '#web/ui/dialog.tsx';
import { formatDate } from '#web/ui/format.ts';
import { Trash2 } from '#web/ui/screen-icons.ts';
import { useToast } from '#web/ui/toast.tsx';
import { texts } from './texts.ts';

/** Discards an unfinished contribution, after a question (decision 0420); `label` tells several of them apart. */
export function Discard({ row, label }: Readonly<{ row: OwnContribution; label: string }>): ReactNode {
  const backend = useBackend();
  const client = useQueryClient();
  const toast = useToast();
  const [asking, setAsking] = useState(false);
  const refresh = () => client.invalidateQueries({ queryKey: ['own-contributions'] });
  const { run, busy, error, reset } = useAction({
    mutationFn: () => discardContribution(backend, row.id),
    onSuccess: async () => {
      toast({ title: texts.discard.done, variant: 'good' });
      await forgetHere(backend, row);
      await refresh();
    },
  });
  const late = isKind(error, 'duplicate');
  const close = (): void => {
    setAsking(false);
    reset();
    // It has been handed in meanwhile, on another device.
    if (late) void refresh();
  };
  return (
    <>
      <Button
        variant="quiet"
        icon={Trash2}
        aria-label={busy ? undefined : label}
        busy={busy}
        busyLabel={texts.discard.busy}
        onClick={() => setAsking(true)}
      >
        {texts.discard.action}
      </Button>
      <ConfirmDialog
        open={asking}
        title={texts.discard.title(
          row.kind === null ? texts.contribution : formatKind(row.kind),
          formatDate(row.createdAt),
        )}
        description={texts.discard.text}
        confirmLabel={texts.discard.action}
        cancelLabel={texts.discard.keep}
        tone="danger"
        problem={error === null ? undefined : late ? texts.discard.late : texts.discard.failed}
        onConfirm={() => void run(undefined).then((done) => done && setAsking(false))}
        onCancel={close}
      />
    </>
  );
}

/** What this device still has of it would otherwise be sent for ever, or go on with a contribution that is gone. */
async function forgetHere({ config }: BackendClient, { id, area }: OwnContribution): Promise<void> {
  const begun = AREAS.find((one) => one.id === area);
  if (begun !== undefined) forgetContribution(submissionStore(begun.storageKeys), String(id));
  for (const entry of await listKept(ownerHere(config), String(id))) await browserOutbox().remove(entry.id);
}
