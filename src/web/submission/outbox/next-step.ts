import type { BackendErrorKind } from '#web/backend/errors.ts';
import { DEVICE_OWNER, type Entry, type Part } from './entry.ts';

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
  const open = entry.parts.filter((part) => isOpen(part) && !tried.has(attemptOf(part)));
  const part = open.find((candidate) => candidate.content.kind !== 'contact' || mayClose(entry));
  if (part === undefined) return { step: 'stuck' };
  const { row } = entry;
  if (row.status === 'known') return { step: 'send', row: row.id, part };
  return row.status === 'failed' && !isPassing(row.reason) ? { step: 'stuck' } : { step: 'insert-row' };
}

export function attemptOf(part: Part): string {
  return `${part.id}:${part.revision}`;
}

/** What may be gone the next time, without anybody doing anything. */
export function isPassing(reason: BackendErrorKind): boolean {
  return (
    reason === 'unreachable' ||
    reason === 'failed' ||
    reason === 'full' ||
    reason === 'too-many' ||
    reason === 'aborted'
  );
}

function isOpen({ state }: Part): boolean {
  if (state.status === 'failed') return isPassing(state.reason);
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
    return entry.owner !== DEVICE_OWNER && part.state.status === 'failed' && !isPassing(part.state.reason);
  });
}

/** Whether the entry is that contribution's, by the id it began with or by the one it has now. */
export function isOf(entry: Entry, contentId: string | undefined): boolean {
  if (entry.contentId === contentId) return true;
  return entry.row.status === 'known' && String(entry.row.id) === contentId;
}

/** All that was ever put in has arrived. An entry without parts is a choice made, not an end. */
export function isFinished({ parts }: Entry): boolean {
  return parts.length > 0 && parts.every((part) => part.state.status === 'sent');
}

export type EntryStatus = 'waiting' | 'sending' | 'sent' | 'failed';

/** The whole entry in one word; `failed` means that the user is needed. */
export function statusOfEntry(entry: Entry): EntryStatus {
  const { row, parts } = entry;
  if (parts.every((part) => part.state.status === 'sent')) return 'sent';
  if (parts.some((part) => part.state.status === 'sending')) return 'sending';
  const failed = [row, ...parts.map((part) => part.state)].some(
    (state) => state.status === 'failed' && !isPassing(state.reason),
  );
  return failed ? 'failed' : 'waiting';
}
