import { afterEach, expect, test } from 'vitest';
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

test('D9 without a login, one address begins so many contributions an hour and no more', async () => {
  server = await bootServer({ CONTRIBUTIONS_PER_HOUR: '2' });
  expect([await contribute(server), await contribute(server), await contribute(server)]).toEqual([201, 201, 429]);
});

test('D9 the answer to one too many says when to try again', async () => {
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

test('D9 members are not counted', async () => {
  server = await bootServer({ CONTRIBUTIONS_PER_HOUR: '1' });
  const { client } = await createUser(server, { role: 'firma_a' });
  const answers = [await client.from('interviews').insert({}), await client.from('interviews').insert({})];
  expect(answers.map(({ status }) => status)).toEqual([201, 201]);
});

test('D9 OPEN_CONTRIBUTIONS=false closes contributions without login and without link, and only those', async () => {
  server = await bootServer({ OPEN_CONTRIBUTIONS: 'false' });
  expect(await contribute(server)).toBe(401);
  const { client } = await createUser(server, { role: 'firma_a' });
  expect((await client.from('interviews').insert({})).status).toBe(201);
});

test.each([
  ['true', true],
  ['false', false],
])('D11 MEDIA_BUCKET_PUBLIC=%s makes the bucket Media public: %s', async (value, expected) => {
  server = await bootServer({ MEDIA_BUCKET_PUBLIC: value });
  const { data } = await server.service().storage.getBucket('Media');
  expect(data?.public).toBe(expected);
});
