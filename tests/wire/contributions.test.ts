import { afterEach, describe, expect, test } from 'vitest';
import { createUser } from '#tests/support/accounts.ts';
import { bootServer, type TestServer } from '#tests/support/boot.ts';
import { newKey } from '#tests/support/callers.ts';

let server: TestServer | undefined;
afterEach(async () => {
  await server?.stop();
  server = undefined;
});

/** A contribution without a login, under a key of its own. */
async function contribute(to: TestServer): Promise<number> {
  const { status } = await to
    .client({ headers: { 'x-interview-key': newKey() } })
    .from('interviews')
    .insert({});
  return status;
}

test('Without a login, one address begins so many contributions an hour and no more (D9)', async () => {
  server = await bootServer({ CONTRIBUTIONS_PER_HOUR: '2' });
  expect([await contribute(server), await contribute(server), await contribute(server)]).toEqual([201, 201, 429]);
});

test('The answer to one too many says when to try again (D9)', async () => {
  server = await bootServer({ CONTRIBUTIONS_PER_HOUR: '1' });
  await contribute(server);
  const answer = await fetch(`${server.url}/rest/v1/interviews`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-interview-key': newKey() },
    body: '{}',
  });
  expect(answer.status).toBe(429);
  expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(await answer.json()).toMatchObject({ code: 'over_contribution_limit' });
});

describe('D9 what one address may hand in without a login', () => {
  const LIMITS = {
    CONTRIBUTIONS_PER_HOUR: '3',
    CONTRIBUTION_ROWS_PER_HOUR: '10',
    CONTRIBUTION_CHARACTERS_PER_HOUR: '1000',
    LIMIT_TRANSCRIPT_CHARACTERS: '400',
    LIMIT_TURNS: '4',
    LIMIT_FILES: '2',
    LIMIT_FEEDBACK: '2',
    LIMIT_TURN_CHARACTERS: '100',
    LIMIT_ANSWER_CHARACTERS: '60',
    TRUST_PROXY: 'true',
  };
  const post = (to: TestServer, path: string, body: unknown, headers: Record<string, string> = {}) =>
    fetch(`${to.url}/rest/v1/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-interview-key': newKey(), ...headers },
      body: JSON.stringify(body),
    });
  const statuses = async (answers: readonly Promise<Response>[]) =>
    (await Promise.all(answers)).map((answer) => answer.status).toSorted((a, b) => a - b);

  test('Counts rows, not requests, and no row of a refused request stays', async () => {
    server = await bootServer(LIMITS);
    expect((await post(server, 'interviews', [{}, {}, {}, {}])).status).toBe(429);
    expect((await post(server, 'interviews', [{}, {}])).status).toBe(201);
    expect((await post(server, 'interviews', [{}, {}])).status).toBe(429);
    expect((await post(server, 'interviews', [{}])).status).toBe(201);
    expect((await post(server, 'interviews', [{}])).status).toBe(429);
  });

  test('Counts however the address of the table is written, and requests at the same time', async () => {
    server = await bootServer(LIMITS);
    const to = server;
    const paths = [
      '%69nterviews',
      'interviews?columns=transcript',
      'interviews',
      'interview%73',
      'interviews?select=id',
    ];
    expect(await statuses(paths.map((path) => post(to, path, {})))).toEqual([201, 201, 201, 429, 429]);
  });

  test('Addresses count apart, the addresses of one IPv6 /64 together, and the hash alone is kept', async () => {
    server = await bootServer(LIMITS);
    const to = server;
    const from = (address: string) => post(to, 'interviews', {}, { 'x-forwarded-for': address });
    const net = ['2001:db8:1:2::1', '2001:db8:1:2:ffff::2', '2001:db8:1:2::3', '2001:db8:1:2:3:4:5:6'];
    expect(await statuses(net.map(from))).toEqual([201, 201, 201, 429]);
    expect((await from('2001:db8:1:3::1')).status).toBe(201);
    const same = ['203.0.113.7', '::ffff:203.0.113.7', '203.0.113.7', '203.0.113.7'];
    expect(await statuses(same.map(from))).toEqual([201, 201, 201, 429]);
    expect((await from('203.0.113.8')).status).toBe(201);
    const nonsense = ['unknown', '_hidden', '999.1.1.1', 'x'];
    expect(await statuses(nonsense.map(from))).toEqual([201, 201, 201, 429]);
    const kept = await to.backend.database.asOwner((tx) =>
      tx.query('select c::text as row from private.network_counts c'),
    );
    expect(kept.rows).toHaveLength(5);
    expect(JSON.stringify(kept.rows)).not.toMatch(/203\.0|2001:db8/);
  });

  test('Counts that have ended are removed, and with them the key of the hashes', async () => {
    server = await bootServer(LIMITS);
    await contribute(server);
    const after = await server.backend.database.asOwner(async (tx) => {
      const before = await tx.query('select key from private.network_key');
      await tx.query(`update private.network_counts set since = now() - interval '61 minutes'`);
      await tx.query(`update private.network_key set made_at = now() - interval '61 minutes'`);
      await tx.query('select private.forget_networks()');
      const left = await tx.query('select from private.network_counts');
      const key = await tx.query('select key from private.network_key');
      return { left: left.rowCount, keys: [before.rowCount, key.rowCount] };
    });
    expect(after).toEqual({ left: 0, keys: [1, 0] });
  });

  test('What one contribution holds ends at its limits, in one request and in many', async () => {
    server = await bootServer({
      ...LIMITS,
      CONTRIBUTION_ROWS_PER_HOUR: '1000',
      CONTRIBUTION_CHARACTERS_PER_HOUR: '100000',
    });
    const headers = { 'x-interview-key': newKey() };
    const client = server.client({ headers });
    const { data } = await client.from('interviews').insert({}).select('id').single();
    const interview_id = Number(data?.id);
    const turns = (from: number, count: number, content = 'ja') =>
      Array.from({ length: count }, (_, at) => ({ interview_id, position: from + at, speaker: 'user', content }));
    const add = async (table: string, rows: unknown) => (await client.from(table).insert(rows as never)).error?.code;
    expect(await add('interview_turns', turns(0, 5))).toBe('contribution_full');
    expect(await add('interview_turns', turns(0, 3))).toBeUndefined();
    expect(await add('interview_turns', turns(3, 1, 'x'.repeat(95)))).toBe('contribution_full');
    expect(await add('interview_turns', turns(3, 1))).toBeUndefined();
    expect(await add('interview_turns', turns(4, 1))).toBe('contribution_full');
    const file = (name: string) => ({ interview_id, file_path: `${interview_id}/${name}`, file_type: 'image/png' });
    expect(await add('media_uploads', [file('a'), file('b')])).toBeUndefined();
    expect(await add('media_uploads', file('c'))).toBe('contribution_full');
    const liked = (event_id: number) => ({ interview_id, event_id, score: 'like' });
    expect(await add('feedback', [liked(1), liked(2), liked(3)])).toBe('contribution_full');
    expect(await add('feedback', [liked(1), liked(2)])).toBeUndefined();
    const change = async (patch: object) =>
      (await client.from('interviews').update(patch).eq('id', interview_id)).error?.code;
    expect(await change({ transcript: 'x'.repeat(401) })).toBe('transcript_too_long');
    expect(await change({ transcript: 'x'.repeat(400) })).toBeUndefined();
    expect(await change({ w_questions_answers: { who: 'x'.repeat(60) } })).toBe('answers_too_long');
    expect(await change({ w_questions_answers: { who: 'Ada' } })).toBeUndefined();
  });

  test('Characters and rows of one address end at its limits, corrections count what they add', async () => {
    server = await bootServer({ ...LIMITS, CONTRIBUTION_CHARACTERS_PER_HOUR: '700' });
    const client = server.client({ headers: { 'x-interview-key': newKey() } });
    const { data } = await client
      .from('interviews')
      .insert({ transcript: 'x'.repeat(390) })
      .select('id')
      .single();
    const correct = (text: string) => client.from('interviews').update({ transcript: text }).eq('id', Number(data?.id));
    expect((await correct('y'.repeat(390))).error).toBeNull();
    expect((await correct('z'.repeat(400))).error).toBeNull();
    const more = await client.from('interviews').insert({ transcript: 'x'.repeat(301) });
    expect(more).toMatchObject({ status: 429, error: { code: 'over_contribution_limit' } });
    expect((await client.from('interviews').insert({ transcript: 'x'.repeat(300) })).error).toBeNull();
  });

  test('Members have the limits of a contribution and none of an address', async () => {
    server = await bootServer(LIMITS);
    const { client } = await createUser(server, { role: 'firma_a' });
    expect((await client.from('interviews').insert(Array.from({ length: 20 }, () => ({})))).status).toBe(201);
    const long = await client.from('interviews').insert({ transcript: 'x'.repeat(401) });
    expect(long).toMatchObject({ status: 413, error: { code: 'transcript_too_long' } });
    expect(
      (
        await server
          .service()
          .from('interviews')
          .insert({ transcript: 'x'.repeat(401) })
      ).status,
    ).toBe(201);
  });
});

test('Members are not counted (D9)', async () => {
  server = await bootServer({ CONTRIBUTIONS_PER_HOUR: '1' });
  const { client } = await createUser(server, { role: 'firma_a' });
  const answers = [await client.from('interviews').insert({}), await client.from('interviews').insert({})];
  expect(answers.map(({ status }) => status)).toEqual([201, 201]);
});

test('OPEN_CONTRIBUTIONS=false closes contributions without login and without link, and only those (D9)', async () => {
  server = await bootServer({ OPEN_CONTRIBUTIONS: 'false' });
  expect(await contribute(server)).toBe(401);
  const { client } = await createUser(server, { role: 'firma_a' });
  expect((await client.from('interviews').insert({})).status).toBe(201);
});

test.each([
  ['true', true],
  ['false', false],
])('MEDIA_BUCKET_PUBLIC=%s makes the bucket Media public: %s (D11)', async (value, expected) => {
  server = await bootServer({ MEDIA_BUCKET_PUBLIC: value });
  const { data } = await server.service().storage.getBucket('Media');
  expect(data?.public).toBe(expected);
});
