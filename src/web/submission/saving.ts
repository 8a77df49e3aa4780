import { SIMULATED_LOCAL_SAVE_MS } from '#contract/limits.ts';
import { tryToStore } from '#web/backend/browser-storage.ts';
import type { BackendClient } from '#web/backend/client.ts';
import {
  saveTranscriptAndTime,
  type Contact,
  saveContact,
  updateTranscript,
  updateWAnswers,
} from '#web/backend/interviews.ts';
import { BackendError } from '#web/backend/errors.ts';
import { readLike } from '#web/backend/stored-session.ts';
import { NO_ANSWERS, type WAnswers } from '#web/backend/w-questions.ts';
import { transcriptPath } from './files.ts';
import { numericId } from './local-id.ts';
import type { FileContent, Part } from './outbox/entry.ts';
import { sleep, type Sleep } from './retries.ts';
import { uploadFile } from './uploads.ts';

/** kept: only in this browser, because the id is a local one (§5 'Database writes by id'). */
export type SpokenOutcome = 'saved' | 'kept' | 'skipped';

/** §4: completed_at and transcript for a numeric id; skipped when blank (§5). Throws BackendError. */
export async function saveSpokenTranscript(
  backend: BackendClient,
  interviewId: string,
  transcript: string,
  now: Date,
): Promise<SpokenOutcome> {
  if (transcript.trim() === '') return 'skipped';
  const id = numericId(interviewId);
  if (id === undefined) return 'kept';
  await saveTranscriptAndTime(backend, id, transcript, now);
  return 'saved';
}

/** partial: at least one of the two ways failed, for these reasons (§8 'Speicherwarnung'). */
export type EditedOutcome = Readonly<{ kind: 'saved' | 'kept' } | { kind: 'partial'; errors: readonly unknown[] }>;

type EditedTranscript = Readonly<{ interviewId: string; transcript: string; now: Date; wait?: Sleep }>;

/**
 * §4 'Transcript edit': a text file linked to the interview, and the interview's own column. Never throws BackendError.
 */
export async function saveEditedTranscript(backend: BackendClient, edit: EditedTranscript): Promise<EditedOutcome> {
  const id = numericId(edit.interviewId);
  if (id === undefined) return { kind: 'kept' };
  const blob = new Blob([edit.transcript], { type: 'text/plain' });
  const path = transcriptPath(edit.interviewId, edit.now.getTime());
  const options = edit.wait === undefined ? { interviewId: id } : { interviewId: id, wait: edit.wait };
  const results = await Promise.allSettled([
    uploadFile(backend, { blob, path }, options),
    updateTranscript(backend, id, edit.transcript),
  ]);
  const errors = results.flatMap((result) => (result.status === 'rejected' ? [result.reason as unknown] : []));
  return errors.length === 0 ? { kind: 'saved' } : { kind: 'partial', errors };
}

/** §5: saved for a numeric id only; those of a local id stay in this browser. Throws BackendError. */
export async function saveWAnswers(
  backend: BackendClient,
  interviewId: string,
  answers: WAnswers,
): Promise<'saved' | 'kept'> {
  const id = numericId(interviewId);
  if (id !== undefined) {
    await updateWAnswers(backend, id, answers);
    return 'saved';
  }
  keepAnswers(interviewId, answers);
  return 'kept';
}

/** §4 'Contact form submit': saved for a numeric id; a local id only waits 0.5 s. Throws BackendError. */
export async function submitContact(
  backend: BackendClient,
  interviewId: string,
  contact: Contact,
  now: Date,
  wait: Sleep = sleep,
): Promise<'saved' | 'local'> {
  const id = numericId(interviewId);
  if (id === undefined) {
    await wait(SIMULATED_LOCAL_SAVE_MS);
    return 'local';
  }
  await saveContact(backend, id, contact, now);
  return 'saved';
}

type SendOptions = Readonly<{
  now: Date;
  signal: AbortSignal;
  blob: (file: FileContent) => Promise<Blob>;
  /** 0–1 of the bytes of a file. */
  onProgress: (fraction: number) => void;
}>;

/** Sends one part to its row. Every way can be repeated without doubling anything. Throws BackendError. */
export async function sendPart(backend: BackendClient, row: number, part: Part, options: SendOptions): Promise<void> {
  const { content } = part;
  const { now, signal, onProgress } = options;
  switch (content.kind) {
    case 'answers':
      return updateWAnswers(backend, row, content.answers);
    case 'contact':
      return saveContact(backend, row, content.contact, now);
    case 'transcript': {
      const blob = new Blob([content.text], { type: 'text/plain' });
      await uploadFile(backend, { blob, path: `${row}/${content.fileName}` }, { interviewId: row, signal });
      signal.throwIfAborted();
      return saveTranscriptAndTime(backend, row, content.text, now);
    }
    default: {
      const blob = await options.blob(content);
      if (blob.size !== content.bytes) throw new BackendError('missing', 'the file is not on this device any more');
      const { fileName, spoken, imageRights } = content;
      await uploadFile(
        backend,
        { blob, path: `${row}/${fileName}`, spoken, imageRights },
        { interviewId: row, signal, onProgress },
      );
    }
  }
}

/** §5: the answers of a local id, in the storage of this tab. */
const PREFIX = 'w_questions_answers:';

export function keepAnswers(interviewId: string, answers: WAnswers): void {
  tryToStore(sessionStorage, PREFIX + interviewId, JSON.stringify(answers));
}

export function getKeptAnswers(interviewId: string): WAnswers | undefined {
  return readLike(sessionStorage, PREFIX + interviewId, NO_ANSWERS);
}
