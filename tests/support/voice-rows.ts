import type { Database } from '#backend/database/index.ts';
import type { Turn } from '#contract/transcript.ts';

export type StoredInterview = Readonly<{
  transcript: string;
  answers: unknown;
  turns: readonly Turn[];
  /** `<conversation>/<position>`, in order. */
  places: readonly string[];
  feedback: readonly string[];
}>;

/** What of a conversation reached the database; read as the owner. */
export async function storedInterview(database: Database, id: number): Promise<StoredInterview> {
  return database.asOwner(async (tx) => {
    const row = await tx.query('select transcript, w_questions_answers from public.interviews where id = $1', [id]);
    const turns = await tx.query('select * from public.interview_turns where interview_id = $1 order by id', [id]);
    const feedback = await tx.query('select * from public.feedback where interview_id = $1 order by id', [id]);
    return {
      transcript: row.rows[0]?.['transcript'] ?? '',
      answers: row.rows[0]?.['w_questions_answers'],
      turns: turns.rows.map((turn) => ({ speaker: turn['speaker'], text: turn['content'] })),
      places: turns.rows.map((turn) => `${turn['conversation_id']}/${turn['position']}`),
      feedback: feedback.rows.map((item) => `${item['event_id']}: ${item['score']}`),
    };
  });
}
