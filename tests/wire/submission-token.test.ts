import type { SupabaseClient } from '@supabase/supabase-js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createUser, type TestUser } from '#tests/support/accounts.ts';
import { bootServer, type TestServer } from '#tests/support/boot.ts';
import { asOwner, newKey } from '#tests/support/callers.ts';

let server: TestServer;
let member: TestUser;
beforeAll(async () => {
  server = await bootServer();
  member = await createUser(server, { role: 'firma_a' });
});
afterAll(() => server.stop());

/** §7's insert, with the token of its submission. */
function begin(client: SupabaseClient, token: string) {
  return client
    .from('interviews')
    .insert({ created_at: new Date().toISOString() })
    .select('id')
    .setHeader('x-submission-token', token)
    .single<{ id: number }>();
}

function contributor(key: string): SupabaseClient {
  return server.client({ headers: { 'x-interview-key': key } });
}

async function countRows(sql: string, values: readonly unknown[]): Promise<number> {
  const { rows } = await asOwner(server.databaseUrl, (client) => client.query(sql, [...values]));
  return Number(rows[0]?.count);
}

const ROWS_OF_KEY = `select count(*) from private.interview_keys where key_hash = sha256(convert_to($1, 'UTF8'))`;

describe('D9 an insert that is sent again', () => {
  test('begins no second contribution, and the first one is found by its key', async () => {
    const key = newKey();
    const first = await begin(contributor(key), key);
    expect(first.error).toBeNull();
    const second = await begin(contributor(key), key);
    expect(second).toMatchObject({ status: 409, error: { code: '23505' } });
    expect(JSON.stringify(second.error)).not.toContain(key);
    const found = await contributor(key).from('interviews').select('id');
    expect(found.data).toEqual([{ id: first.data?.id }]);
    expect(await countRows(ROWS_OF_KEY, [key])).toBe(1);
  });

  test('ten at the same time: one row', async () => {
    const key = newKey();
    const answers = await Promise.all(Array.from({ length: 10 }, () => begin(contributor(key), key)));
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(9);
    expect(await countRows(ROWS_OF_KEY, [key])).toBe(1);
  });

  test('a login’s too; another token, or none, begins another one', async () => {
    const token = newKey();
    const count = () => countRows('select count(*) from public.interviews where user_id = $1', [member.id]);
    const before = await count();
    await begin(member.client, token);
    expect((await begin(member.client, token)).error?.code).toBe('23505');
    expect(await count()).toBe(before + 1);
    expect((await begin(member.client, newKey())).error).toBeNull();
    expect((await member.client.from('interviews').insert({})).error).toBeNull();
    expect(await count()).toBe(before + 3);
  });

  test('somebody else’s token tells nothing and opens nothing', async () => {
    const [mine, theirs] = [newKey(), newKey()];
    await begin(contributor(theirs), theirs);
    expect((await begin(contributor(mine), theirs)).error?.code).toBe('23505');
    expect((await contributor(mine).from('interviews').select('id')).data).toEqual([]);
  });

  test.each(['kurz', 'ä'.repeat(40), 'x'.repeat(200)])('what is no token counts as none: %j', async (odd) => {
    const token = encodeURI(odd);
    expect((await begin(member.client, token)).error).toBeNull();
    expect((await begin(member.client, token)).error).toBeNull();
  });

  test('an insert with an explicit id (D10) and one past every policy are what they were', async () => {
    const key = newKey();
    const { data } = await begin(contributor(key), key);
    const again = await contributor(key)
      .from('interviews')
      .insert({ id: data?.id, transcript: 'Hallo' })
      .setHeader('x-submission-token', key);
    expect(again.error).toBeNull();
    expect((await server.service().from('interviews').insert({})).error).toBeNull();
  });

  test('the token goes with its contribution, and is stored as sha256 only', async () => {
    const key = newKey();
    const { data } = await begin(contributor(key), key);
    const COUNT = 'select count(*) from private.submission_tokens where interview_id = $1';
    expect(await countRows(COUNT, [data?.id])).toBe(1);
    const { rows } = await asOwner(server.databaseUrl, (client) =>
      client.query('select row_to_json(t)::text as line from private.submission_tokens t'),
    );
    expect(rows.map((row: { line: string }) => row.line).join()).not.toContain(key);
    await asOwner(server.databaseUrl, (client) =>
      client.query('delete from public.interviews where id = $1', [data?.id]),
    );
    expect(await countRows(COUNT, [data?.id])).toBe(0);
  });

  test('the browser may send the header from another origin', async () => {
    const answer = await fetch(`${server.url}/rest/v1/interviews`, {
      method: 'OPTIONS',
      headers: {
        origin: 'https://anderswo.test',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'x-submission-token,x-interview-key',
      },
    });
    expect(answer.headers.get('access-control-allow-headers')?.toLowerCase()).toMatch(/\*|x-submission-token/);
  });
});
