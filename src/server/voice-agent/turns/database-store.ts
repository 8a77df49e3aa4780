import pg from 'pg';
import type { Database, Tx } from '#backend/index.ts';
import type { Speaker } from '#contract/transcript.ts';
import { EARLIER_TURNS, RefusedError, type Batch, type Interview, type TurnStore } from './store.ts';

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

async function openInterview(tx: Tx, id: number): Promise<Interview | undefined> {
  // An admin reads every interview but writes only the own ones.
  const found = await tx.query<{ transcript: string | null }>(
    'select transcript from public.interviews where id = $1 and id in (select private.my_interview_ids())',
    [id],
  );
  const row = found.rows[0];
  if (row === undefined) return undefined;
  const turns = await tx.query<{ speaker: Speaker; content: string }>(
    `select speaker, content from (
       select id, speaker, content from public.interview_turns where interview_id = $1 order by id desc limit $2
     ) as latest order by id`,
    [id, EARLIER_TURNS],
  );
  return {
    id,
    transcript: row.transcript ?? '',
    turns: turns.rows.map(({ speaker, content }) => ({ speaker, text: content })),
  };
}

async function saveBatch(tx: Tx, batch: Batch): Promise<{ transcriptKept: boolean }> {
  if (batch.turns.length > 0) await insertTurns(tx, batch);
  if (batch.feedback.length > 0) await insertFeedback(tx, batch);
  if (Object.keys(batch.wAnswers).length > 0) {
    await tx.query(
      `update public.interviews set w_questions_answers = coalesce(w_questions_answers, '{}') || $2 where id = $1`,
      [batch.interviewId, JSON.stringify(batch.wAnswers)],
    );
  }
  if (batch.transcript === undefined) return { transcriptKept: true };
  const updated = await tx.query(
    `update public.interviews set transcript = $2 where id = $1 and coalesce(transcript, '') = any ($3::text[])`,
    [batch.interviewId, batch.transcript.now, ['', batch.transcript.now, ...batch.transcript.expected]],
  );
  return { transcriptKept: updated.rowCount === 1 };
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
