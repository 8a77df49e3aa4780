import type { PostgrestError, SupabaseClient } from '@supabase/supabase-js';
import {
  DeskContributionSchema,
  DeskPageSchema,
  type DeskChange,
  type DeskContribution,
  type DeskPage,
  type DeskQuery,
} from '#contract/desk.ts';
import type { TestServer } from './boot.ts';
import { asOwner } from './callers.ts';

/** What a test says of a contribution; the rest is as the database makes it. */
export type ContributionFacts = Readonly<{
  userId?: string;
  userEmail?: string;
  createdAt?: string;
  transcript?: string;
  answers?: Readonly<Record<string, string>>;
  firstName?: string;
  lastName?: string;
  email?: string;
  /** `path` without the folder. */
  files?: readonly Readonly<{ path: string; type: string; name?: string }>[];
  turns?: readonly string[];
  origin?: Readonly<{ area: string; kind?: string; topic?: string }>;
}>;

/** Written by the owner, so that every fact can be chosen; the triggers do the rest. */
export function contribute(server: TestServer, facts: ContributionFacts = {}): Promise<number> {
  return asOwner(server.databaseUrl, async (client) => {
    const made = await client.query(
      `insert into interviews (user_id, user_email, created_at, transcript, w_questions_answers, contact_first_name,
        contact_last_name, contact_email)
       values ($1, $2, coalesce($3, now()), $4, $5, $6, $7, $8) returning id`,
      [
        facts.userId,
        facts.userEmail,
        facts.createdAt,
        facts.transcript,
        facts.answers,
        facts.firstName,
        facts.lastName,
        facts.email,
      ],
    );
    const id = Number(made.rows[0].id);
    for (const { path, type, name } of facts.files ?? [])
      await client.query(
        'insert into media_uploads (interview_id, file_path, file_type, original_name) values ($1, $2, $3, $4)',
        [id, `${id}/${path}`, type, name],
      );
    for (const [position, content] of (facts.turns ?? []).entries())
      await client.query(
        `insert into interview_turns (interview_id, position, speaker, content) values ($1, $2, 'user', $3)`,
        [id, position, content],
      );
    const { origin } = facts;
    if (origin !== undefined)
      await client.query('insert into contribution_origins (interview_id, area, kind, topic) values ($1, $2, $3, $4)', [
        id,
        origin.area,
        origin.kind,
        origin.topic,
      ]);
    return id;
  });
}

/** A page as the contract describes it; throws the backend's refusal. */
export async function inbox(client: SupabaseClient, query: DeskQuery = {}): Promise<DeskPage> {
  const { data, error } = await client.rpc('desk_inbox', { query });
  if (error !== null) throw error;
  return DeskPageSchema.parse(data);
}

/** Their numbers, in the order of the list. */
export async function idsIn(client: SupabaseClient, query: DeskQuery = {}): Promise<number[]> {
  return (await inbox(client, query)).items.map((item) => item.id);
}

export async function look(client: SupabaseClient, id: number): Promise<DeskContribution> {
  const { data, error } = await client.rpc('desk_contribution', { id });
  if (error !== null) throw error;
  return DeskContributionSchema.parse(data);
}

type Change = Readonly<{ id: number; version: number; change: DeskChange }>;

export async function change(client: SupabaseClient, wanted: Change): Promise<DeskContribution> {
  const { data, error } = await client.rpc('desk_change', wanted);
  if (error !== null) throw error;
  return DeskContributionSchema.parse(data);
}

/** What a call was refused with. */
export async function getRefusal(
  call: PromiseLike<{ error: PostgrestError | null; status: number }>,
): Promise<Readonly<{ status: number; code: string | undefined }>> {
  const { error, status } = await call;
  return { status, code: error?.code };
}
