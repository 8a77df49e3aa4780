import { randomUUID } from 'node:crypto';
import { afterEach, expect, test } from 'vitest';
import { ErasureListSchema, RetentionSchema, type Retention } from '#contract/desk-files.ts';
import { REVIEW_KEY_HEADER } from '#contract/review.ts';
import { createUser, type TestUser } from '#tests/support/accounts.ts';
import { bootServer, type TestServer } from '#tests/support/boot.ts';
import { asOwner } from '#tests/support/callers.ts';
import { createDatabase, type TestDatabase } from '#tests/support/database.ts';
import { deskApi, handIn, must, TEAM, type DeskCall } from '#tests/support/desk-calls.ts';
import { mailsWritten } from '#tests/support/desk-mail.ts';
import { contribute } from '#tests/support/desk.ts';
import { receiptOf } from '#tests/support/erasures.ts';
import { setFarFromMidnight } from '#tests/support/far-from-midnight.ts';
import { findTraces } from '#tests/support/find-traces.ts';
import { addPost, reviewPost, sendForReview } from '#tests/support/posts.ts';

const DAY_MS = 86_400_000;
const PATH = '/v1/desk/retention';
const opened: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of opened.splice(0).toReversed()) await close();
});

async function open(env: Record<string, string> = {}): Promise<{ server: TestServer; desk: DeskCall }> {
  const server = await bootServer(env);
  opened.push(server.stop);
  return { server, desk: await deskApi(server.url, await createUser(server, { role: 'admin' })) };
}

async function sharedDatabase(): Promise<TestDatabase> {
  const database = await createDatabase('migrated');
  await setFarFromMidnight(database.url);
  opened.push(database.drop);
  return database;
}

const daysAgo = (days: number): string => new Date(Date.now() - days * DAY_MS).toISOString();

/** Two that are due, and three that are not: younger, finished later, and of today. */
async function arrange(server: TestServer): Promise<{ due: number[]; kept: number[] }> {
  const due = [
    await contribute(server, { createdAt: daysAgo(50), transcript: 'alt', email: 'a@beispiel.test' }),
    await contribute(server, { createdAt: daysAgo(32) }),
  ];
  const later = await contribute(server, { createdAt: daysAgo(60) });
  const kept = [later, await contribute(server, { createdAt: daysAgo(29) }), await contribute(server)];
  await asOwner(server.databaseUrl, (client) =>
    client.query('update interviews set completed_at = $1 where id = $2', [daysAgo(5), later]),
  );
  return { due, kept };
}

async function idsLeft(server: TestServer): Promise<number[]> {
  return asOwner(server.databaseUrl, async (client) => {
    const { rows } = await client.query<{ id: string }>('select id from interviews order by id');
    return rows.map(({ id }) => Number(id));
  });
}

async function preview(desk: DeskCall, query = ''): Promise<Retention> {
  const answer = await desk('GET', `${PATH}${query}`);
  expect(answer.status).toBe(200);
  return RetentionSchema.parse(answer.body);
}

test('Threat 20: nothing is due without a period', async () => {
  const { server, desk } = await open();
  await arrange(server);
  expect(await preview(desk)).toEqual({ days: null, before: null, total: 0, oldest: null, items: [], next: null });
  expect(await desk('POST', PATH, { before: daysAgo(40) })).toMatchObject({ status: 409, code: 'retention_off' });
  expect(await idsLeft(server)).toHaveLength(5);
});

test('Threat 20: erases exactly what the preview shows', async () => {
  const { server, desk } = await open({ RETENTION_DAYS: '30' });
  const { due, kept } = await arrange(server);
  const shown = await preview(desk);
  expect(shown).toMatchObject({ days: 30, total: 2, next: null });
  expect(shown.items.map(({ id }) => id)).toEqual(due);
  expect(shown.oldest).toBe(shown.items[0]?.createdAt);
  expect(shown.items[0]).toMatchObject({ transcript: 'alt', files: 0 });
  // Comes of age after the look at the preview: stays this time.
  const meanwhile = await contribute(server, { createdAt: new Date(Date.parse(shown.before ?? '') + 1).toISOString() });

  expect(await desk('POST', PATH, { before: daysAgo(29) })).toMatchObject({ status: 409, code: 'retention_too_early' });
  expect(await desk('POST', PATH, { before: 'gestern' })).toMatchObject({ status: 400, code: 'invalid_request' });
  const receipt = await receiptOf(desk, await desk('POST', PATH, { before: shown.before }));
  expect(receipt).toMatchObject({ what: 'retention', contributions: 2 });
  expect(await idsLeft(server)).toEqual([...kept, meanwhile]);
});

test('Threat 20: what is past its period takes its posts, versions, links and answers with it, with 0 finds (posts)', async () => {
  const { server, desk } = await open({ ...TEAM, RETENTION_DAYS: '30' });
  const admin = await createUser(server, { role: 'admin' });
  const person = await createUser(server, { role: 'firma_a' });
  const word = `kanarie${randomUUID().replaceAll('-', '')}`;
  const due = await handIn(person, { transcript: `Du: Ich bin ${word}.` });
  const kept = await handIn(person, { transcript: 'Du: Ich bleibe.' });
  await mailsWritten(server);
  const key = await reviewPost(server, admin.client, due.id, word);
  const { id: published } = await addPost(admin.client, due.id, `Auch das sagt ${word}.`);
  const { reader } = await sendForReview(server, admin.client, due.id, [{ id: published, version: 1 }]);
  await must(reader.rpc('review_answer', { post: published, version: 1, answer: 'approve', comment: word }));
  const url = `https://beispiel.test/${word}`;
  await must(admin.client.rpc('desk_post_move', { id: published, version: 1, state: 'published', url }));
  const { id: stays } = await addPost(admin.client, kept.id, 'Das bleibt.');
  await sendForReview(server, admin.client, kept.id, [{ id: stays, version: 1 }]);
  await asOwner(server.databaseUrl, (client) =>
    client.query('update interviews set created_at = $1, completed_at = $1 where id = $2', [daysAgo(32), due.id]),
  );
  const where = { databaseUrl: server.databaseUrl, folders: [server.dataDir] };
  expect((await findTraces(where, [word])).length).toBeGreaterThan(5);
  expect(await postFigures(admin)).toEqual([
    ['linkedin', 'draft', 1],
    ['linkedin', 'in_review', 1],
    ['linkedin', 'published', 1],
  ]);

  const { before } = await preview(desk);
  const receipt = await receiptOf(desk, await desk('POST', PATH, { before }));
  expect(receipt).toMatchObject({ what: 'retention', contributions: 1, posts: 2 });
  expect(await findTraces(where, [word])).toEqual([]);
  expect(await rowsAboutPosts(server)).toEqual({ posts: 1, versions: 1, links: 1, answers: 0 });
  expect(await postFigures(admin)).toEqual([['linkedin', 'in_review', 1]]);
  expect((await server.client({ headers: { [REVIEW_KEY_HEADER]: key } }).rpc('review_open')).error?.code).toBe('PT404');
  const own = (await must(person.client.rpc('own_contributions'))) as { id: number; state: string }[];
  expect(own.map(({ id, state }) => [id, state])).toEqual([[kept.id, 'waiting']]);
});

async function postFigures({ client }: TestUser): Promise<unknown[]> {
  const figures = (await must(client.rpc('admin_posts'))) as { channel: string; state: string; posts: number }[];
  return figures.map(({ channel, state, posts }) => [channel, state, posts]);
}

async function rowsAboutPosts({ databaseUrl }: TestServer): Promise<unknown> {
  const { rows } = await asOwner(databaseUrl, (client) =>
    client.query(`select (select count(*)::int from posts) as posts, (select count(*)::int from post_versions) as versions,
      (select count(*)::int from private.review_links) as links, (select count(*)::int from review_answers) as answers`),
  );
  return rows[0];
}

test('Threat 20: pages the preview, oldest first', async () => {
  const { server, desk } = await open({ RETENTION_DAYS: '30' });
  const made: number[] = [];
  for (let age = 120; age > 0; age -= 1) made.push(await contribute(server, { createdAt: daysAgo(30 + age) }));
  const first = await preview(desk);
  const second = await preview(desk, `?after=${first.next}&before=${encodeURIComponent(first.before ?? '')}`);
  const third = await preview(desk, `?after=${second.next}`);
  expect([...first.items, ...second.items, ...third.items].map(({ id }) => id)).toEqual(made);
  expect([first.total, third.next]).toEqual([120, null]);
});

/** As if servers had run with this period, or with another one, for two days, the last time `seenAt`. */
function runsFor(databaseUrl: string, days: number, seenAt: string): Promise<unknown> {
  return asOwner(databaseUrl, (client) =>
    client.query(
      `insert into private.retention (days, since, seen_at) values ($1, now() - interval '2 days', ${seenAt})
       on conflict (single) do update set days = excluded.days, since = excluded.since, seen_at = excluded.seen_at,
         ran_on = null`,
      [days],
    ),
  );
}

test('Threat 20: runs once a day on one server, not on the day the period is set', async () => {
  const { url: DATABASE_URL } = await sharedDatabase();
  const env = { DATABASE_URL, RETENTION_DAYS: '30' };
  const { server, desk } = await open({ DATABASE_URL });
  const { kept } = await arrange(server);
  const since = (days: number): Promise<unknown> => runsFor(DATABASE_URL, days, 'now()');
  const receipts = async () => ErasureListSchema.parse((await desk('GET', '/v1/desk/erasures')).body).receipts;

  await since(90);
  const changed = await bootServer(env);
  await changed.stop();
  expect(await idsLeft(server)).toHaveLength(5);

  await since(30);
  await Promise.all([open(env), open(env)]);
  await expect.poll(receipts).toEqual([expect.objectContaining({ what: 'retention', by: null, contributions: 2 })]);
  expect(await idsLeft(server)).toEqual(kept);

  await contribute(server, { createdAt: daysAgo(99) });
  const sameDay = await bootServer(env);
  await sameDay.stop();
  expect(await idsLeft(server)).toHaveLength(4);
  expect(await receipts()).toHaveLength(1);
});

test('Threat 20: does not run on the day the period is set again after it was off', async () => {
  const { url: DATABASE_URL } = await sharedDatabase();
  const env = { DATABASE_URL, RETENTION_DAYS: '30' };
  const { server, desk } = await open({ DATABASE_URL });
  const { kept } = await arrange(server);
  const list = async () => ErasureListSchema.parse((await desk('GET', '/v1/desk/erasures')).body);

  // Null: servers of an earlier version did not write it.
  for (const seenAt of ['null', `now() - interval '25 hours'`]) {
    await runsFor(DATABASE_URL, 30, seenAt);
    const setAgain = await bootServer(env);
    await setAgain.stop();
    expect(await list()).toMatchObject({ open: [], receipts: [] });
    const restarted = await bootServer(env);
    await restarted.stop();
    expect(await list()).toMatchObject({ open: [], receipts: [] });
  }
  await runsFor(DATABASE_URL, 30, `now() - interval '23 hours'`);
  await open(env);
  await expect.poll(async () => (await list()).receipts).toHaveLength(1);
  expect(await idsLeft(server)).toEqual(kept);
});
