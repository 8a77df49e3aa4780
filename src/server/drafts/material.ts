import type { SupabaseClient } from '@supabase/supabase-js';
import { z } from 'zod';
import { collectSources } from '#contract/evidence/index.ts';
import { splitSentences } from '#contract/evidence/words.ts';
import { DraftError } from './error.ts';

/** A sentence of the contributor; its number is its place in the list, beginning with 1. */
export type SourceSentence = Readonly<{ source: string; start: number; end: number; text: string }>;

const RowSchema = z.object({
  transcript: z.string().nullable(),
  w_questions_answers: z.record(z.string(), z.string()).nullish().catch({}),
});

/** Tells a draft from another look at the contribution. */
const DETAIL = { draft: 1 };

/** Reads the contributor's words in the administrator's name and writes the audit log. Throws DraftError. */
export async function readMaterial(client: SupabaseClient, contribution: number): Promise<readonly SourceSentence[]> {
  const rows = client.from('interviews').select('transcript, w_questions_answers').eq('id', contribution);
  const { data, error } = await rows.maybeSingle();
  if (error !== null) throw new DraftError('backend_failed', { cause: error });
  if (data === null) throw new DraftError('contribution_not_found');
  const audited = await client.rpc('desk_audit', { interview_id: contribution, what: 'view', detail: DETAIL });
  if (audited.error !== null) throw new DraftError('backend_failed', { cause: audited.error });
  const { transcript, w_questions_answers: answers } = RowSchema.parse(data);
  return listSentences(transcript ?? '', answers ?? {});
}

/** The answers to the W-questions first, because they say most in few words. What the interviewer asked is left out. */
export function listSentences(transcript: string, answers: Readonly<Record<string, string>>): SourceSentence[] {
  const sources = collectSources({ transcript, answers });
  const answered = sources.filter(({ id }) => id !== 'transcript');
  const spoken = sources.filter(({ id }) => id === 'transcript');
  return [...answered, ...spoken].flatMap(({ id, text }) =>
    splitSentences(text)
      .map(({ start, end }) => ({ source: id, start, end, text: text.slice(start, end) }))
      .filter((sentence) => /[\p{L}\p{N}]/u.test(sentence.text)),
  );
}
