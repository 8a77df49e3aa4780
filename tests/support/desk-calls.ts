import { randomBytes } from 'node:crypto';
import type { DeskErrorCode } from '#contract/desk-files.ts';
import type { TestUser } from './accounts.ts';
import { asOwner } from './callers.ts';

export type DeskAnswer = Readonly<{
  status: number;
  code: DeskErrorCode | undefined;
  body: unknown;
  bytes: Buffer;
  headers: Headers;
}>;

export type DeskCall = (
  method: string,
  path: string,
  body?: unknown,
  more?: Record<string, string>,
) => Promise<DeskAnswer>;

export async function getToken(person: TestUser): Promise<string> {
  return (await person.client.auth.getSession()).data.session?.access_token ?? '';
}

/** The server as the browser of that person calls it; without a person, as a plain link does. */
export async function deskApi(url: string, person?: TestUser | string): Promise<DeskCall> {
  const token = typeof person === 'object' ? await getToken(person) : person;
  return async (method, path, body, more = {}) => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: {
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...more,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const bytes = Buffer.from(await response.arrayBuffer());
    const json = response.headers.get('content-type')?.startsWith('application/json') ?? false;
    const parsed: unknown = json && bytes.length > 0 ? JSON.parse(bytes.toString()) : undefined;
    const code = (parsed as { error?: { code: DeskErrorCode } } | undefined)?.error?.code;
    return { status: response.status, code, body: parsed, bytes, headers: response.headers };
  };
}

export type Handed = Readonly<{ id: number; files: readonly Readonly<{ id: number; path: string; bytes: Buffer }>[] }>;

export type HandedFile = Readonly<{ type: string; extension: string; bytes: Buffer }>;

/**
 * A contribution as a member hands it in through the official client: texts, turns, feedback, contact details, files.
 */
export async function handIn(
  person: TestUser,
  facts: Readonly<{
    transcript?: string;
    email?: string;
    name?: string;
    turns?: number;
    files?: readonly HandedFile[];
  }>,
): Promise<Handed> {
  const { client } = person;
  const { transcript = null, email, name, turns = 2, files = [] } = facts;
  const row = await client.from('interviews').insert({ transcript }).select('id').single<{ id: number }>();
  if (row.error !== null) throw row.error;
  const { id } = row.data;
  const stored: { id: number; path: string; bytes: Buffer }[] = [];
  for (const file of files) stored.push(await storeFile(person, id, file));
  const said = Array.from({ length: turns }, (_, position) => ({
    interview_id: id,
    position,
    speaker: position % 2 === 0 ? 'agent' : 'user',
    content: `${name ?? ''} ${position}`,
  }));
  await must(client.from('interview_turns').insert(said));
  await must(client.from('feedback').insert({ interview_id: id, event_id: 1, score: 'like' }));
  const contact = {
    contact_first_name: name ?? 'Ada',
    contact_last_name: 'Muster',
    contact_email: email ?? person.email,
  };
  await must(
    client
      .from('interviews')
      .update({ ...contact, completed_at: new Date().toISOString() })
      .eq('id', id),
  );
  return { id, files: stored };
}

async function storeFile(person: TestUser, id: number, { type, extension, bytes }: HandedFile) {
  const path = `${id}/${Date.now()}_${randomBytes(16).toString('hex')}.${extension}`;
  await must(person.client.storage.from('Media').upload(path, bytes, { contentType: type }));
  const row = { interview_id: id, file_path: path, file_type: type };
  const made = await person.client.from('media_uploads').insert(row).select('id').single<{ id: number }>();
  if (made.error !== null) throw made.error;
  return { id: made.data.id, path, bytes };
}

/** The day in Germany of the moment that `backdateFiles` sets: in UTC it is still the day before. */
export const FILES_DAY = '2026-07-21';

/** Moves the arrival of a contribution's files, whose day stands in their names, to a known moment. */
export async function backdateFiles(databaseUrl: string, id: number): Promise<void> {
  await asOwner(databaseUrl, (client) =>
    client.query(`update media_uploads set created_at = '2026-07-20T22:30:00Z' where interview_id = $1`, [id]),
  );
}

export async function must<T>(answer: PromiseLike<{ data: T; error: unknown }>): Promise<T> {
  const { data, error } = await answer;
  if (error !== null) throw error;
  return data;
}

export async function getRow<T>(answer: PromiseLike<{ data: T | null; error: unknown }>): Promise<T> {
  const data = await must(answer);
  if (data === null) throw new Error('no row');
  return data;
}

/** One address for the team, so that each contribution makes one mail; pass it to `bootServer`. */
export const TEAM = { DESK_MAIL_TO: 'redaktion@beispiel.test' } as const;
