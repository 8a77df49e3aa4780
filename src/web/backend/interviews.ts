/** Table `interviews` (§3, §7). Every function throws BackendError. */
import * as z from 'zod/mini';
import type { AreaId, Topic } from '#contract/areas.ts';
import type { ContributionKind } from '#contract/desk.ts';
import type { BackendClient } from './client.ts';
import { BackendError, isKind, type Refusal, toBackendError } from './errors.ts';
import { LOOK_TIMEOUT_MS, untilWritten } from './time-limits.ts';
import type { WAnswers } from './w-questions.ts';

const TABLE = 'interviews';

const IdRow = z.object({ id: z.union([z.number(), z.string()]) });
const IdRows = z.array(IdRow);
const TranscriptRow = z.object({ transcript: z.nullish(z.string()) });
const Answers = z.object({ who: z.string(), what: z.string(), when: z.string(), where: z.string(), why: z.string() });
const DescriptionRow = z.extend(TranscriptRow, { w_questions_answers: z.nullish(Answers) });

/** The contact form's fields (§3 'Contact form'). */
export type Contact = Readonly<{
  firstName: string;
  lastName: string;
  email: string;
  /** The version of the text that was agreed to, where one is asked for. */
  consent?: string | undefined;
}>;

/**
 * §7: insert with created_at, reading the id that the database gave. The key of the contribution's client (D9) is also
 * the token of this submission, so an insert repeated with it finds the row of the first one.
 */
export async function createInterview(backend: BackendClient, now: Date): Promise<string> {
  const row = { created_at: now.toISOString() };
  const token = backend.interviewKey ?? '';
  const answer = await backend.supabase
    .from(TABLE)
    .insert(row)
    .select('id')
    .setHeader('x-submission-token', token)
    .abortSignal(untilWritten())
    .single();
  if (answer.error === null) return String(IdRow.parse(answer.data).id);
  const failure = toBackendError(answer.error, answer.status);
  if (hasLostRights(failure)) void backend.recheck?.();
  const begun = failure.kind === 'unreachable' || failure.kind === 'duplicate';
  const id = begun ? await findInterview(backend).catch(() => undefined) : undefined;
  if (id === undefined) throw failure;
  return id;
}

/** A member's login that has ended: the row would have no owner, so the database makes none. */
export function hasLostRights(error: unknown): boolean {
  return error instanceof BackendError && error.code === 'PT401';
}

/** Asked without the login, the database shows only the rows of the key; a fresh key has one at most. */
async function findInterview({ supabase, config }: BackendClient): Promise<string | undefined> {
  const answer = await supabase
    .from(TABLE)
    .select('id')
    .order('id')
    .limit(1)
    .setHeader('Authorization', `Bearer ${config.supabaseKey}`)
    .abortSignal(AbortSignal.timeout(LOOK_TIMEOUT_MS));
  const [row] = IdRows.parse(getData(answer));
  return row === undefined ? undefined : String(row.id);
}

/** §4 'Voice message': what was said, and when that was saved, which does not make a contribution complete. */
export async function saveTranscriptAndTime(backend: BackendClient, id: number, transcript: string, now: Date) {
  await updateRow(backend, id, { completed_at: now.toISOString(), transcript });
}

/** §4 'Transcript edit'. */
export async function updateTranscript(backend: BackendClient, id: number, transcript: string): Promise<void> {
  await updateRow(backend, id, { transcript });
}

/** §7. */
export async function updateWAnswers(backend: BackendClient, id: number, answers: WAnswers): Promise<void> {
  await updateRow(backend, id, { w_questions_answers: answers });
}

/** The update of each row that is under way. The next waits for it: a slow older text would replace a newer one. */
const updates = new Map<number, PromiseLike<unknown>>();

/** A policy that hides a row answers with no rows instead of an error. */
async function updateRow({ supabase }: BackendClient, id: number, patch: object): Promise<void> {
  const send = () => supabase.from(TABLE).update(patch).eq('id', id).select('id').abortSignal(untilWritten());
  const sent = Promise.resolve(updates.get(id)).then(send, send);
  updates.set(id, sent);
  try {
    if (IdRows.parse(getData(await sent)).length === 0) throw new BackendError('refused', 'no row was updated');
  } finally {
    if (updates.get(id) === sent) updates.delete(id);
  }
}

async function insertRow({ supabase }: BackendClient, row: Readonly<{ id: number }>): Promise<void> {
  getData(await supabase.from(TABLE).insert(row).abortSignal(untilWritten()));
}

const ContactRows = z.array(z.object({ contact_email: z.nullish(z.string()) }));

/** Whether this caller, login or key, sees that contribution (D9), and whether it is complete (decision 0010). */
export async function findProgress(backend: BackendClient, id: number): Promise<'hidden' | 'open' | 'complete'> {
  const signal = AbortSignal.timeout(LOOK_TIMEOUT_MS);
  const answer = await backend.supabase
    .from(TABLE)
    .select('contact_email')
    .eq('id', id)
    .abortSignal(signal)
    .retry(false);
  const [row] = ContactRows.parse(getData(answer));
  if (row === undefined) return 'hidden';
  return (row.contact_email ?? '') === '' ? 'open' : 'complete';
}

/**
 * §7, D10: update; where that fails or touches no row, insert a row with the id and the same fields. Without an answer
 * it may have gone well, and an insert would then be refused for good: the update is sent once more.
 */
export async function saveContact(backend: BackendClient, id: number, contact: Contact, now: Date): Promise<void> {
  const fields = {
    contact_first_name: contact.firstName,
    contact_last_name: contact.lastName,
    contact_email: contact.email,
    completed_at: now.toISOString(),
  };
  if (contact.consent !== undefined) await acceptConsent(backend, id, contact.consent);
  const update = (): Promise<void> => updateRow(backend, id, fields);
  try {
    await update().catch((error: unknown) => (isKind(error, 'unreachable') ? update() : Promise.reject(error)));
  } catch (error) {
    if (isKind(error, 'unreachable')) throw error;
    await insertRow(backend, { id, ...fields });
  }
}

/** Before the contact details, which the database takes with it only. D10: a row that is not there is made. */
async function acceptConsent(backend: BackendClient, contribution: number, version: string): Promise<void> {
  const given = { contribution, version };
  const accept = async (): Promise<unknown> =>
    getData(await backend.supabase.rpc('accept_consent', given).abortSignal(untilWritten()));
  if ((await accept()) === true) return;
  await insertRow(backend, { id: contribution });
  await accept();
}

/** `undefined` where the row has no transcript or this caller may not see it. */
export async function readTranscript(backend: BackendClient, id: number): Promise<string | undefined> {
  const answer = await backend.supabase.from(TABLE).select('transcript').eq('id', id).maybeSingle();
  const row = z.nullable(TranscriptRow).parse(getData(answer));
  return row?.transcript ?? undefined;
}

/** What was written and said about a file, as far as it is there. */
export async function readDescription(backend: BackendClient, id: number) {
  const answer = await backend.supabase.from(TABLE).select('w_questions_answers,transcript').eq('id', id).maybeSingle();
  const row = z.nullable(DescriptionRow).parse(getData(answer));
  return { answers: row?.w_questions_answers ?? undefined, transcript: row?.transcript ?? '' };
}

/** The data of an answer. Throws BackendError. */
export function getData(answer: Readonly<{ data: unknown; error: Refusal | null; status: number }>): unknown {
  if (answer.error !== null) throw toBackendError(answer.error, answer.status);
  return answer.data;
}

/** Where a contribution was begun. Without a kind the desk tells it by the files. */
export type Origin = Readonly<{ area: AreaId; kind?: ContributionKind; topic?: Topic }>;

/**
 * Table `contribution_origins`; the first origin of a contribution stays. Never rejects: no flow waits for it or ends
 * over it.
 */
export async function recordOrigin(backend: BackendClient, id: number, { area, kind, topic }: Origin): Promise<void> {
  const row = { interview_id: id, area, kind: kind ?? null, topic: topic ?? null };
  const { error } = await backend.supabase
    .from('contribution_origins')
    .upsert(row, { onConflict: 'interview_id', ignoreDuplicates: true });
  if (error !== null) console.warn('contribution_origins: not written', error.code);
}
