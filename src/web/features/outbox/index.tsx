import { type ReactNode, type RefCallback, useRef, useState } from 'react';
import { useAppConfig } from '#web/backend/config.ts';
import { useUser } from '#web/backend/session.ts';
import { downloadBlob } from '#web/submission/file-name.ts';
import { isFinal } from '#web/submission/outbox/entry-life.ts';
import { DEVICE_OWNER, type Entry, type Part, type PartDraft, statusOfEntry } from '#web/submission/outbox/entry.ts';
import { browserOutbox, useOutbox } from '#web/submission/outbox/outbox.ts';
import { inMegabytes } from '#web/submission/texts.ts';
import { Button, ButtonLink } from '#web/ui/button.tsx';
import { ConsentText, SectionCard } from '#web/ui/card.tsx';
import { ConfirmDialog } from '#web/ui/dialog.tsx';
import { FileRow } from '#web/ui/file-row.tsx';
import { FlowScreen } from '#web/ui/flow-screen.tsx';
import { Notice } from '#web/ui/notice.tsx';
import { EmptyState } from '#web/ui/empty-state.tsx';
import { useFocusHandover } from '#web/ui/use-focus-handover.ts';
import { OtherAccountsNotice } from './other-accounts-notice.tsx';
import { reasonText, texts } from './texts.ts';

/** The contributions of the current user that wait on this device. */
export function OutboxScreen(): ReactNode {
  const user = useUser();
  const { entries: all, keep, retry, remove, giveUp, getProgress } = useOutbox(user?.id ?? DEVICE_OWNER);
  const entries = all.filter((entry) => entry.parts.length > 0);
  const [removing, setRemoving] = useState<Removal>();
  const confirm = (): void => {
    const { entry, part } = removing ?? {};
    if (entry !== undefined) void (part === undefined ? remove(entry.id) : giveUp(entry.id, part.id));
    setRemoving(undefined);
  };
  return (
    <FlowScreen title={texts.heading} lead={texts.lead}>
      {entries.length === 0 && (
        <EmptyState
          drawing="sent"
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
                getProgress={getProgress}
                onRetry={() => void retry(entry.id)}
                onRemove={(part) => setRemoving({ entry, part })}
                onAgree={(contact) => void keep(entry, [contact])}
              />
            </li>
          ))}
        </ul>
      )}
      <OtherAccountsNotice />
      <ConfirmDialog
        open={removing !== undefined}
        {...describeRemoval(removing)}
        confirmLabel={texts.remove}
        cancelLabel={texts.keep}
        tone="danger"
        onConfirm={confirm}
        onCancel={() => setRemoving(undefined)}
      />
    </FlowScreen>
  );
}

/** A contribution, or one file of it. */
type Removal = Readonly<{ entry: Entry; part: Part | undefined }>;

function describeRemoval(removal: Removal | undefined): Readonly<{ title: string; description: string }> {
  if (removal?.part !== undefined) return { title: texts.removePartTitle, description: texts.removePartText };
  const sent = removal !== undefined && statusOfEntry(removal.entry) === 'sent';
  return { title: texts.removeTitle, description: sent ? texts.removeSent : texts.removeText };
}

type EntryCardProps = Readonly<{
  entry: Entry;
  /** 0–1 */
  getProgress: (part: string) => number | undefined;
  onRetry: () => void;
  /** Of one file, or of all. */
  onRemove: (part?: Part) => void;
  onAgree: (contact: PartDraft) => void;
}>;

/** One contribution and how each of its parts is getting on. */
function EntryCard({ entry, getProgress, onRetry, onRemove, onAgree }: EntryCardProps): ReactNode {
  const { row } = entry;
  const status = statusOfEntry(entry);
  const state = useRef<HTMLOutputElement>(null);
  const handOver = useFocusHandover(state);
  const when = new Date(entry.createdAt).toLocaleString('de-DE', { dateStyle: 'medium', timeStyle: 'short' });
  return (
    <SectionCard title={texts.title(when)}>
      <p className="-mt-3 mb-4 text-sm text-muted">
        <output ref={state} tabIndex={-1}>
          {texts.status[status]}
        </output>
        {row.status === 'known' && (
          <span className="tabular">
            {' · '}
            {texts.contentId}: {row.id}
          </span>
        )}
      </p>
      {row.status === 'failed' && (
        <Notice className="mb-4" tone="error">
          {reasonText(row.reason)}
        </Notice>
      )}
      <ul className="flex flex-col gap-2">
        {entry.parts.map((part) => (
          <PartRow
            key={part.id}
            part={part}
            fraction={getProgress(`${entry.id}:${part.id}`)}
            // The rest may wait for it: contact details come last.
            onRemove={entry.parts.length > 1 && isFinal(part) ? () => onRemove(part) : undefined}
          />
        ))}
      </ul>
      <ConsentNeeded entry={entry} button={handOver} onAgree={onAgree} />
      <div className="mt-4 flex flex-wrap gap-2">
        {status !== 'sent' && (
          <Button variant="secondary" idle={status === 'sending'} onClick={onRetry}>
            {status === 'failed' ? texts.retry : texts.send}
          </Button>
        )}
        {status === 'failed' && entry.parts.map((part) => <Download key={part.id} entry={entry.id} part={part} />)}
        <Button variant={status === 'sent' ? 'secondary' : 'quiet'} onClick={() => onRemove()}>
          {texts.remove}
        </Button>
      </div>
    </SectionCard>
  );
}

/** What is refused may be nowhere else. */
function Download({ entry, part: { content, state } }: Readonly<{ entry: string; part: Part }>): ReactNode {
  if (state.status === 'sent' || content.kind === 'answers' || content.kind === 'contact') return null;
  const name = 'bytes' in content ? content.name : texts.transcriptFile;
  const read = async (): Promise<Blob> =>
    'bytes' in content ? browserOutbox().store.blob(entry, content) : new Blob([content.text], { type: 'text/plain' });
  return (
    <Button variant="quiet" onClick={() => void read().then((blob) => downloadBlob(blob, name))}>
      {texts.download(name)}
    </Button>
  );
}

type ConsentNeededProps = Readonly<{
  entry: Entry;
  button: RefCallback<HTMLElement>;
  onAgree: (contact: PartDraft) => void;
}>;

/** Contact details that were kept before the operator asked for consent (decision 0267) go once it is given. */
function ConsentNeeded({ entry, button, onAgree }: ConsentNeededProps): ReactNode {
  const { consent } = useAppConfig();
  const asking = entry.parts.find(({ state }) => state.status === 'failed' && state.reason === 'consent')?.content;
  if (consent === undefined || asking?.kind !== 'contact') return null;
  return (
    <Notice className="mt-4" tone="caution" title={texts.consentTitle}>
      <p>{texts.consentLater}</p>
      <div className="my-3">
        <ConsentText label={texts.consentTitle}>{consent.text}</ConsentText>
      </div>
      <Button
        ref={button}
        onClick={() => onAgree({ ...asking, contact: { ...asking.contact, consent: consent.version } })}
      >
        {texts.agree}
      </Button>
    </Notice>
  );
}

const LOOK = { waiting: 'waiting', sending: 'uploading', sent: 'done', failed: 'failed' } as const;

type PartRowProps = Readonly<{ part: Part; fraction: number | undefined; onRemove: (() => void) | undefined }>;

function PartRow({ part, fraction, onRemove }: PartRowProps): ReactNode {
  const { content, state } = part;
  const file = 'bytes' in content;
  return (
    <FileRow
      name={file ? content.name : texts.parts[content.kind]}
      {...(file ? { size: inMegabytes(content.bytes, 1) } : {})}
      state={LOOK[state.status]}
      detail={state.status === 'failed' ? reasonText(state.reason) : texts.part[state.status]}
      onRemove={file ? onRemove : undefined}
      {...(file && fraction !== undefined ? { percent: fraction * 100 } : {})}
    />
  );
}
