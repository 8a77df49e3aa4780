import type { BackendErrorKind } from '#web/backend/errors.ts';
import { isLocalId } from '../local-id.ts';
import { DEVICE_OWNER, type Entry, isRetryableKind, type Part, type PartContent, type PartState } from './entry.ts';

type PartEvent = Readonly<{ part: string; revision: number }>;

export type EntryEvent =
  | Readonly<{ type: 'put'; part: string; content: PartContent }>
  | Readonly<{ type: 'row-known'; id: number }>
  | Readonly<{ type: 'row-failed'; reason: BackendErrorKind }>
  | (PartEvent & Readonly<{ type: 'started' | 'sent' | 'interrupted' }>)
  | (PartEvent & Readonly<{ type: 'failed'; reason: BackendErrorKind }>)
  /** Another file found no room beside it: the next attempt puts it in once more. */
  | Readonly<{ type: 'taken-back'; part: string }>
  /** The user removes a file that was refused for good. */
  | Readonly<{ type: 'given-up'; part: string }>
  /** The user wants what failed to be tried again. */
  | Readonly<{ type: 'retry' }>
  /** No tab is sending now: the one that was has closed. */
  | Readonly<{ type: 'resumed' }>;

/** The whole life of an entry as one pure function. */
export function entryAfter(entry: Entry, event: EntryEvent): Entry {
  switch (event.type) {
    case 'put':
      return { ...entry, parts: put(entry.parts, event.part, event.content) };
    case 'row-known':
      return { ...entry, row: { status: 'known', id: event.id } };
    case 'row-failed':
      return entry.row.status === 'known' ? entry : { ...entry, row: { status: 'failed', reason: event.reason } };
    case 'retry':
      return {
        ...entry,
        row: entry.row.status === 'failed' ? { status: 'none' } : entry.row,
        parts: change(entry.parts, (part) => part.state.status === 'failed', { status: 'waiting' }),
      };
    case 'given-up':
      return { ...entry, parts: entry.parts.filter((part) => part.id !== event.part || !isFinal(part)) };
    case 'taken-back':
      return { ...entry, parts: entry.parts.filter(({ id, revision }) => id !== event.part || revision > 1) };
    case 'resumed':
      return { ...entry, parts: breakOff(entry.parts, (part) => part.state.status === 'sending') };
    default: {
      // What has arrived stays so, whatever another tab hears that was suspended meanwhile.
      const meant = ({ id, revision, state }: Part) =>
        id === event.part && revision === event.revision && state.status !== 'sent';
      if (event.type === 'interrupted') return { ...entry, parts: breakOff(entry.parts, meant) };
      return { ...entry, parts: change(entry.parts, meant, stateAfter(event)) };
    }
  }
}

function stateAfter(event: Extract<EntryEvent, PartEvent>): PartState {
  if (event.type === 'failed') return { status: 'failed', reason: event.reason };
  if (event.type === 'sent') return { status: 'sent' };
  return { status: event.type === 'started' ? 'sending' : 'waiting' };
}

function breakOff(parts: readonly Part[], meant: (part: Part) => boolean): readonly Part[] {
  return parts.map((part) => (meant(part) ? { ...part, state: { status: 'waiting' }, unanswered: true } : part));
}

function change(parts: readonly Part[], meant: (part: Part) => boolean, state: PartState): readonly Part[] {
  return parts.map((part) => (meant(part) ? { ...part, state } : part));
}

function put(parts: readonly Part[], id: string, content: PartContent): readonly Part[] {
  const before = parts.find((part) => part.id === id);
  if (before === undefined) return [...parts, { id, revision: 1, content, state: { status: 'waiting' } }];
  const named = keepName(before.content, content);
  const next: Part = { id, revision: before.revision + 1, content: named, state: { status: 'waiting' } };
  return parts.map((part) => (part.id === id ? next : part));
}

/** A text that was corrected takes the place of the first one in the bucket too. */
function keepName(before: PartContent, next: PartContent): PartContent {
  if (before.kind !== 'transcript' || next.kind !== 'transcript') return next;
  return { ...next, fileName: before.fileName };
}

export type Step =
  | Readonly<{ step: 'done' }>
  /** Something is left that only the user, or time, can move. */
  | Readonly<{ step: 'stuck' }>
  /** Can be repeated: the row is made once (D9). */
  | Readonly<{ step: 'insert-row' }>
  | Readonly<{ step: 'send'; row: number; part: Part }>;

/** `tried` are the parts that have had their attempt in this round. */
export function nextStep(entry: Entry, tried: ReadonlySet<string> = new Set()): Step {
  if (entry.parts.every((part) => part.state.status === 'sent')) return { step: 'done' };
  const open = entry.parts.filter((part) => isOpen(part) && !tried.has(getAttempt(part)));
  const part = open.find((candidate) => candidate.content.kind !== 'contact' || mayClose(entry));
  if (part === undefined) return { step: 'stuck' };
  const { row } = entry;
  if (row.status === 'known') return { step: 'send', row: row.id, part };
  return row.status === 'failed' && !isRetryableKind(row.reason) ? { step: 'stuck' } : { step: 'insert-row' };
}

export function getAttempt(part: Part): string {
  return `${part.id}:${part.revision}`;
}

/** Whether it failed for good: another attempt would fail the same way. */
export function isFinal({ state }: Part): boolean {
  return state.status === 'failed' && !isRetryableKind(state.reason);
}

const KEY_LIFE_MS = 7 * 24 * 60 * 60 * 1_000;

/**
 * D9: a guest's key ends 7 days after it was made, and before that only a day after contact details were saved: one
 * that refuses details whose answer got lost has taken them. A correction may come too late, so it does not count, nor
 * does a contribution that had its key before it came here.
 */
export function hasArrivedBefore(entry: Entry, part: Part, now: number): boolean {
  const unanswered = part.content.kind === 'contact' && part.unanswered === true && part.revision === 1;
  const isYoung = isLocalId(entry.contentId) && now - entry.createdAt < KEY_LIFE_MS;
  return unanswered && isYoung && entry.owner === DEVICE_OWNER;
}

function isOpen({ state }: Part): boolean {
  if (state.status === 'failed') return isRetryableKind(state.reason);
  return state.status !== 'sent';
}

/**
 * The contact details come last: without a login the key takes no files after them (D9). A login may add what failed
 * for good later on, so for it they need not wait for that.
 */
function mayClose(entry: Entry): boolean {
  const others = entry.parts.filter((part) => part.content.kind !== 'contact');
  return others.every((part) => {
    if (part.state.status === 'sent') return true;
    return entry.owner !== DEVICE_OWNER && isFinal(part);
  });
}
