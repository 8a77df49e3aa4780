import pg from 'pg';
import type { Database, Tx } from '#backend/index.ts';
import type { Turn } from '#contract/transcript.ts';
import type { WQuestion } from '#contract/voice.ts';
import { CodedError } from '#lib/error-code.ts';
import type { Holder } from '../access/callers.ts';

/** One row of the turn log (D16). `position` counts from 0 within the conversation. */
export type LoggedTurn = Turn & Readonly<{ position: number }>;
export type LoggedFeedback = Readonly<{ eventId: number; score: 'like' | 'dislike' }>;

/** One write to the database, all or nothing. */
export type Batch = Readonly<{
  interviewId: number;
  conversationId: string;
  turns: readonly LoggedTurn[];
  feedback: readonly LoggedFeedback[];
  wAnswers: Readonly<Partial<Record<WQuestion, string>>>;
  /** The new transcript and those this conversation wrote before; undefined leaves the column alone. */
  transcript: Readonly<{ expected: readonly string[]; now: string }> | undefined;
}>;

export type InterviewRow = Readonly<{ id: number; transcript: string }>;

/** Reads and writes interviews in the name of the conversation's holder; PostgreSQL decides the rights. */
export type TurnStore = Readonly<{
  /** Undefined where the caller may not write it. */
  open: (holder: Holder, interviewId: number) => Promise<InterviewRow | undefined>;
  /** The caller's role (§6); undefined without one, and where its second factor is missing. */
  getRole: (holder: Holder, userId: string) => Promise<string | undefined>;
  /** Writing the same batch twice changes nothing. `transcriptKept` is false where another writer had changed it. */
  save: (holder: Holder, batch: Batch) => Promise<{ transcriptKept: boolean }>;
}>;

/** The database refused a write for good. `code` is PostgreSQL's, or the HTTP status of a hosted project. */
export class RefusedError extends CodedError {
  constructor(code: string, options?: ErrorOptions) {
    super(code, `refused: ${code}`, options);
  }
}

const REFUSALS = /^(22|23|42)/;

/** Stores turns in PostgreSQL in the holder's name. */
export function createDatabaseTurnStore(database: Database): TurnStore {
  return {
    open: ({ context }, interviewId) =>
      database.asCaller({ ...context, readOnly: true }, (tx) => openInterview(tx, interviewId)),
    getRole: ({ context }, userId) =>
      database.asCaller({ ...context, readOnly: true }, async (tx) => {
        const found = await tx.query<{ role: string }>(
          'select role from public.user_roles where user_id = $1 and not public.second_factor_missing()',
          [userId],
        );
        return found.rows[0]?.role;
      }),
    save: async ({ context }, batch) => {
      try {
        return await database.asCaller(context, (tx) => saveBatch(tx, batch));
      } catch (cause) {
        const code = cause instanceof pg.DatabaseError ? (cause.code ?? '') : '';
        throw REFUSALS.test(code) || isFull(cause) ? new RefusedError(code, { cause }) : cause;
      }
    },
  };
}

/** Whether the contribution is full: a trigger raises the error that /rest/v1 answers with 413. */
function isFull(cause: unknown): boolean {
  return cause instanceof pg.DatabaseError && cause.code === 'PGRST' && /"status": ?413\b/.test(cause.detail ?? '');
}

async function openInterview(tx: Tx, id: number): Promise<InterviewRow | undefined> {
  // An admin reads every interview but writes only the own ones.
  const found = await tx.query<{ transcript: string | null }>(
    'select transcript from public.interviews where id = $1 and private.is_my_interview(id)',
    [id],
  );
  const row = found.rows[0];
  return row === undefined ? undefined : { id, transcript: row.transcript ?? '' };
}

/** The contribution's own row first, as everything else locks it before what is counted of it. */
async function saveBatch(tx: Tx, batch: Batch): Promise<{ transcriptKept: boolean }> {
  const transcriptKept = await saveTexts(tx, batch);
  if (batch.turns.length > 0) await insertTurns(tx, batch);
  if (batch.feedback.length > 0) await insertFeedback(tx, batch);
  return { transcriptKept };
}

async function saveTexts(tx: Tx, batch: Batch): Promise<boolean> {
  if (Object.keys(batch.wAnswers).length > 0) {
    await tx.query(
      `update public.interviews set w_questions_answers = coalesce(w_questions_answers, '{}') || $2 where id = $1`,
      [batch.interviewId, JSON.stringify(batch.wAnswers)],
    );
  }
  if (batch.transcript === undefined) return true;
  const updated = await tx.query(
    `update public.interviews set transcript = $2 where id = $1 and coalesce(transcript, '') = any ($3::text[])`,
    [batch.interviewId, batch.transcript.now, ['', batch.transcript.now, ...batch.transcript.expected]],
  );
  return updated.rowCount === 1;
}

async function insertTurns(tx: Tx, { interviewId, conversationId, turns }: Batch): Promise<void> {
  await tx.query(
    `insert into public.interview_turns (interview_id, conversation_id, position, speaker, content)
     select $1, $2, position, speaker, content
     from unnest($3::integer[], $4::text[], $5::text[]) as said (position, speaker, content)
     on conflict (interview_id, conversation_id, position) do nothing`,
    [
      interviewId,
      conversationId,
      turns.map((turn) => turn.position),
      turns.map((turn) => turn.speaker),
      turns.map((turn) => turn.text),
    ],
  );
}

async function insertFeedback(tx: Tx, { interviewId, conversationId, feedback }: Batch): Promise<void> {
  await tx.query(
    `insert into public.feedback (interview_id, conversation_id, event_id, score)
     select $1, $2, event_id, score from unnest($3::integer[], $4::text[]) as given (event_id, score)`,
    [interviewId, conversationId, feedback.map((item) => item.eventId), feedback.map((item) => item.score)],
  );
}
