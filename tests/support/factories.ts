import { randomBytes } from 'node:crypto';
import type { CallerContext, Database } from '#backend/database/index.ts';
import { asOwner, getRows } from './callers.ts';

/** An interview as §7 makes one: by that caller, who needs a key or a role. */
export async function createInterview(database: Database, caller: CallerContext): Promise<number> {
  const rows = await getRows(database, caller, 'insert into interviews default values returning id');
  return Number(rows[0]?.['id']);
}

/** A complete contribution: interview, one file with its row, one turn, one like. */
export async function createContribution(database: Database, caller: CallerContext): Promise<number> {
  const id = await createInterview(database, caller);
  const file = `${id}/1700000000000_first.png`;
  await database.asCaller(caller, async (tx) => {
    await tx.query(`insert into storage.objects (bucket_id, name) values ('Media', $1)`, [file]);
    await tx.query('insert into media_uploads (interview_id, file_path, file_type) values ($1, $2, $3)', [
      id,
      file,
      'image/png',
    ]);
    await tx.query(
      `insert into interview_turns (interview_id, position, speaker, content) values ($1, 0, 'agent', 'Hallo')`,
      [id],
    );
    await tx.query(`insert into feedback (interview_id, event_id, score) values ($1, 1, 'like')`, [id]);
  });
  return id;
}

/** What a contact form sends (§7). */
export const CONTACT = {
  contact_first_name: 'Ada',
  contact_last_name: 'Lovelace',
  contact_email: 'ada@beispiel.test',
} as const;

export const SAVE_CONTACT = `update interviews set contact_first_name = '${CONTACT.contact_first_name}',
  contact_last_name = '${CONTACT.contact_last_name}', contact_email = '${CONTACT.contact_email}', completed_at = now()
  where id = $1`;

export type ManyContributions = Readonly<{ count: number; transcript: string }>;

/**
 * So many contributions at once, all with contact details, one an hour into the past, in each of the four areas in
 * turn.
 */
export function manyContributions(databaseUrl: string, { count, transcript }: ManyContributions): Promise<void> {
  return asOwner(databaseUrl, async (client) => {
    await client.query(
      `with made as (
         insert into interviews (created_at, transcript, contact_first_name, contact_last_name, contact_email)
         select now() - make_interval(hours => n), $2 || ' ' || n, 'Person', n::text, 'person-' || n || '@beispiel.test'
         from generate_series(1, $1::int) as n
         returning id
       )
       insert into contribution_origins (interview_id, area, kind)
       select id, (array['generic', 'firma-a', 'firma-b', 'testnormec'])[1 + id % 4], 'interview' from made`,
      [count, transcript],
    );
  });
}

/** Bytes that no other file has. They begin as no known type does: the storage looks at the first ones. */
export function makeContent(bytes: number): Buffer<ArrayBuffer> {
  return randomBytes(bytes).fill(0, 0, Math.min(16, bytes));
}
