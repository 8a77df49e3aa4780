import { keepActive } from '#web/backend/activity.ts';
import type { BackendClient } from '#web/backend/client.ts';
import { BackendError, type BackendErrorKind } from '#web/backend/errors.ts';
import {
  completeInterview,
  createInterview,
  saveContact,
  tellOrigin,
  updateWAnswers,
} from '#web/backend/interviews.ts';
import { originOfLocal } from '../content-id.ts';
import { numericId } from '../local-id.ts';
import { uploadFile } from '../uploads.ts';
import { getAttempt, type Entry, type EntryEvent, type FileContent, nextStep, type Part } from './entry.ts';
import type { OutboxStore } from './store.ts';

export type DrainDeps = Readonly<{
  store: OutboxStore;
  clientFor: (key: string) => BackendClient;
  /** Who works in this browser now. */
  currentOwner: () => string;
  now: () => number;
  changed: () => void;
  onProgress: (part: string, fraction: number) => void;
}>;

/**
 * `left`: something still waits that another round may move. `offline`: no answer came, so the rest was not even tried.
 */
type Drained = 'empty' | 'left' | 'offline';

/** Sends what there is of this owner, entry by entry. Must run in one tab at a time (the worker's lock). */
export async function drain(deps: DrainDeps, owner: string): Promise<Drained> {
  let left = false;
  for (const { id } of await deps.store.list(owner)) {
    const outcome = await drainEntry(deps, id, owner);
    if (outcome === 'offline') return 'offline';
    left ||= outcome === 'left';
  }
  return left ? 'left' : 'empty';
}

async function drainEntry(deps: DrainDeps, id: string, owner: string): Promise<Drained> {
  const tried = new Set<string>();
  let entry = await record(deps, id, { type: 'resumed' });
  while (entry !== undefined) {
    if (deps.currentOwner() !== owner) return 'left';
    const step = nextStep(entry, tried);
    if (step.step === 'done') return 'empty';
    if (step.step === 'stuck') return 'left';
    const release = keepActive();
    try {
      const problem =
        step.step === 'send' ? await deliver(deps, entry, step.row, step.part) : await makeRow(deps, entry);
      if (problem === 'unreachable') return 'offline';
      if (problem !== undefined && step.step === 'insert-row') return 'left';
      if (step.step === 'send') tried.add(getAttempt(step.part));
    } finally {
      release();
    }
    entry = await deps.store.get(id);
  }
  return 'empty';
}

async function deliver(deps: DrainDeps, entry: Entry, row: number, part: Part): Promise<BackendErrorKind | undefined> {
  const { store } = deps;
  const about = { part: part.id, revision: part.revision };
  await record(deps, entry.id, { type: 'started', ...about });
  try {
    await sendPart(deps.clientFor(entry.key), row, part, {
      now: new Date(deps.now()),
      blob: (file) => store.blob(entry.id, file),
      onProgress: (fraction) => deps.onProgress(`${entry.id}:${part.id}`, fraction),
    });
    await record(deps, entry.id, { type: 'sent', ...about });
    return undefined;
  } catch (error) {
    const reason = getReason(error);
    const event = reason === 'unreachable' ? ({ type: 'interrupted' } as const) : ({ type: 'failed', reason } as const);
    await record(deps, entry.id, { ...event, ...about });
    return reason;
  }
}

/** D9: the key was there before the first insert, and the database makes one row for it however often it is asked. */
async function makeRow(deps: DrainDeps, entry: Entry): Promise<BackendErrorKind | undefined> {
  try {
    const client = deps.clientFor(entry.key);
    const id = numericId(await createInterview(client, new Date(deps.now())));
    if (id === undefined) throw new BackendError('failed', 'the row has no number');
    await record(deps, entry.id, { type: 'row-known', id });
    void tellOrigin(client, id, originOfLocal(entry.area, entry.contentId));
    return undefined;
  } catch (error) {
    const reason = getReason(error);
    if (reason !== 'unreachable') await record(deps, entry.id, { type: 'row-failed', reason });
    return reason;
  }
}

async function record(deps: DrainDeps, id: string, event: EntryEvent): Promise<Entry | undefined> {
  const entry = await deps.store.apply(id, event);
  deps.changed();
  return entry;
}

function getReason(error: unknown): BackendErrorKind {
  return error instanceof BackendError ? error.kind : 'failed';
}

type SendOptions = Readonly<{
  now: Date;
  blob: (file: FileContent) => Promise<Blob>;
  /** 0–1 of the bytes of a file. */
  onProgress: (fraction: number) => void;
}>;

/** Sends one part to its row. Every way can be repeated without doubling anything. Throws BackendError. */
async function sendPart(backend: BackendClient, row: number, part: Part, options: SendOptions): Promise<void> {
  const { content } = part;
  const { now, onProgress } = options;
  switch (content.kind) {
    case 'answers':
      return updateWAnswers(backend, row, content.answers);
    case 'contact':
      return saveContact(backend, row, content.contact, now);
    case 'transcript': {
      const blob = new Blob([content.text], { type: 'text/plain' });
      await uploadFile(backend, { blob, path: `${row}/${content.fileName}` }, { interviewId: row });
      return completeInterview(backend, row, content.text, now);
    }
    default: {
      const blob = await options.blob(content);
      if (blob.size !== content.bytes) throw new BackendError('missing', 'the file is not on this device any more');
      const { fileName, spoken, imageRights } = content;
      await uploadFile(
        backend,
        { blob, path: `${row}/${fileName}`, spoken, imageRights },
        { interviewId: row, onProgress },
      );
    }
  }
}
