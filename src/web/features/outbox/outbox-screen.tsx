import { Inbox } from '#web/ui/icons.tsx';
import { useState, type ReactNode } from 'react';
import { useUser } from '#web/backend/session.ts';
import { DEVICE_OWNER, type Entry, statusOfEntry } from '#web/submission/outbox/entry.ts';
import { useOutbox } from '#web/submission/outbox/outbox.ts';
import { ButtonLink } from '#web/ui/button.tsx';
import { ConfirmDialog } from '#web/ui/dialog.tsx';
import { FlowScreen } from '#web/ui/flow-screen.tsx';
import { EmptyState } from '#web/ui/state-screens.tsx';
import { EntryCard } from './entry-card.tsx';
import { texts } from './texts.ts';

/** The contributions of the current user that wait on this device. */
export function OutboxScreen(): ReactNode {
  const user = useUser();
  const { entries: all, retry, remove, progressOf } = useOutbox(user?.id ?? DEVICE_OWNER);
  const entries = all.filter((entry) => entry.parts.length > 0);
  const [removing, setRemoving] = useState<Entry>();
  const confirm = (): void => {
    if (removing !== undefined) void remove(removing.id);
    setRemoving(undefined);
  };
  return (
    <FlowScreen title={texts.heading} lead={texts.lead}>
      {entries.length === 0 && (
        <EmptyState
          icon={<Inbox aria-hidden className="size-8" />}
          title={texts.empty}
          action={user !== undefined && <ButtonLink href="/">{texts.home}</ButtonLink>}
        >
          {texts.emptyText}
        </EmptyState>
      )}
      {entries.length > 0 && (
        <ul aria-label={texts.list} className="flex flex-col gap-6">
          {entries.map((entry) => (
            <li key={entry.id}>
              <EntryCard
                entry={entry}
                progressOf={progressOf}
                onRetry={() => void retry(entry.id)}
                onRemove={() => setRemoving(entry)}
              />
            </li>
          ))}
        </ul>
      )}
      <ConfirmDialog
        open={removing !== undefined}
        title={texts.removeTitle}
        description={removing !== undefined && statusOfEntry(removing) === 'sent' ? texts.removeSent : texts.removeText}
        confirmLabel={texts.remove}
        cancelLabel={texts.keep}
        tone="danger"
        onConfirm={confirm}
        onCancel={() => setRemoving(undefined)}
      />
    </FlowScreen>
  );
}
