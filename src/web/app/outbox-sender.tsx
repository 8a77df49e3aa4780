import { clsx } from 'clsx';
import { type ReactNode, useEffect } from 'react';
import type { BackendClient } from '#web/backend/client.ts';
import { connectContribution, connectGuest } from '#web/backend/connect.ts';
import { loadAhead } from '#web/backend/later-part.ts';
import { useSession, useSessionStore } from '#web/backend/session.ts';
import { forgetOldReviewDrafts } from '#web/features/review/drafts.ts';
import { probeBackend, getStatus } from '#web/backend/status.ts';
import { createPulse, type OutboxWorker, ownerOf, startWorker } from '#web/submission/outbox/worker.ts';
import { DEVICE_OWNER, statusOfEntry } from '#web/submission/outbox/entry.ts';
import { browserOutbox, useOutbox } from '#web/submission/outbox/outbox.ts';
import { Inbox } from '#web/ui/screen-icons.ts';
import { Anchor } from '#web/ui/link.tsx';
import { laterTexts } from './later-texts.ts';

/** Exported from here because every screen loads this file after its first paint. */
export { OtherAccountsNotice } from '#web/features/outbox/other-accounts-notice.tsx';

/**
 * Sends the entries of this user and of guests while the application is open, and shows how many of this user's are
 * still waiting.
 */
export function OutboxSender(): ReactNode {
  const session = useSession();
  const owner = ownerOf(session);
  useEffect(forgetOldReviewDrafts, []);
  useEffect(refuseStrayFiles, []);
  // Without its second factor a login has no rights yet.
  useWorker(session.status === 'signed-in' && session.factor !== 'due' ? owner : undefined);
  useWorker(owner === undefined ? undefined : DEVICE_OWNER);
  return owner === undefined ? null : <OutboxBadge owner={owner} />;
}

/** Refuses files that are dropped outside of a drop zone: the browser would leave the page for them. */
function refuseStrayFiles(): () => void {
  const refuse = (event: DragEvent): void => {
    if (event.defaultPrevented || event.dataTransfer?.types.includes('Files') !== true) return;
    event.preventDefault();
    event.dataTransfer.dropEffect = 'none';
  };
  window.addEventListener('dragover', refuse);
  return () => window.removeEventListener('dragover', refuse);
}

/** How many contributions wait on this device; nothing where none does. */
function OutboxBadge({ owner }: Readonly<{ owner: string }>): ReactNode {
  const waiting = useOutbox(owner).entries.filter((entry) => statusOfEntry(entry) !== 'sent').length;
  if (waiting === 0) return null;
  const label = laterTexts.outbox(waiting);
  return (
    <Anchor
      href="/ausgangskorb"
      title={label}
      aria-label={label}
      className="touch relative inline-flex items-center justify-center rounded-control px-2 hover:bg-sunken"
    >
      <Inbox className="size-5" />
      <span
        aria-hidden
        className={clsx(
          'tabular absolute top-0.5 right-0 min-w-4.5 rounded-full bg-accent px-1 text-center',
          'text-[0.6875rem]/4.5 font-semibold text-on-accent',
        )}
      >
        {waiting}
      </span>
    </Anchor>
  );
}

function useWorker(owner: string | undefined): void {
  const store = useSessionStore();
  useEffect(() => {
    if (owner === undefined) return undefined;
    const outbox = browserOutbox();
    let worker: OutboxWorker | undefined;
    let left = false;
    const kick = (): void => worker?.kick();
    const ended = outbox.onWork(kick);
    const seen = (): void => void (document.visibilityState === 'visible' && kick());
    window.addEventListener('online', kick);
    document.addEventListener('visibilitychange', seen);
    const guest = owner === DEVICE_OWNER;
    // A guest's entries are sent only with their own key, even if somebody logs in meanwhile.
    const currentOwner = (): string => (guest ? owner : (ownerOf(store.getState()) ?? ''));
    const start = async (): Promise<void> => {
      const backend = await loadAhead(store.backend);
      if (left) return;
      worker = startWorker({ ...browserDeps(guest ? connectGuest(backend) : backend, owner), currentOwner }, owner);
      worker.kick();
    };
    void start();
    return () => {
      left = true;
      worker?.stop();
      ended();
      window.removeEventListener('online', kick);
      document.removeEventListener('visibilitychange', seen);
    };
  }, [owner, store]);
}

let pulse: ReturnType<typeof createPulse> | undefined;

function browserDeps(backend: BackendClient, owner: string) {
  const outbox = browserOutbox();
  return {
    store: outbox.store,
    clientFor: (key: string) => connectContribution(backend, key, owner),
    now: Date.now,
    changed: outbox.changed,
    onProgress: outbox.progressed,
    pulse: (pulse ??= createPulse('BroadcastChannel' in globalThis ? new BroadcastChannel('pulse') : undefined)),
    locks: 'locks' in navigator ? navigator.locks : undefined,
    reachable: async () => getStatus(await probeBackend(backend)) !== 'unavailable',
    later: (call: () => void, ms: number) => {
      const timer = setTimeout(call, ms);
      return () => clearTimeout(timer);
    },
  };
}
