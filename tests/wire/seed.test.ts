import { afterAll, beforeAll, expect, test } from 'vitest';
import { AREAS } from '#contract/areas.ts';
import { CONTRIBUTION_KINDS, DESK_STATES } from '#contract/desk.ts';
import { POST_STATES, REVIEW_ANSWERS, ReviewSchema } from '#contract/posts.ts';
import { REVIEW_KEY_HEADER } from '#contract/review.ts';
import { bootServer, type TestServer } from '#tests/support/boot.ts';
import { asOwner } from '#tests/support/callers.ts';
import { contribute } from '#tests/support/desk.ts';
import { runFile, type Finished } from '#tests/support/processes.ts';

let server: TestServer;
beforeAll(async () => {
  server = await bootServer();
});
afterAll(() => server.stop());

const seed = (...args: string[]): Promise<Finished> =>
  runFile('scripts/seed.ts', args, {
    DATABASE_URL: server.databaseUrl,
    DATA_DIR: server.dataDir,
    PUBLIC_URL: 'https://beitrag.test',
  });

async function values(sql: string): Promise<unknown[]> {
  return asOwner(server.databaseUrl, async (client) =>
    (await client.query<{ value: unknown }>(sql)).rows.map((row) => row.value),
  );
}

const COUNTS = `select concat_ws(' ', (select count(*) from public.interviews), (select count(*)
  from public.media_uploads),
  (select count(*) from storage.objects), (select count(*) from public.interview_turns), (select count(*)
    from private.desk_events where what <> 'mail'),
  (select count(*) from public.post_versions), (select count(*) from public.review_answers)) as value`;

test('The seed hands in contributions of every kind, area and state once, mends an interrupted run, and leaves others alone', async () => {
  const foreign = await contribute(server, { transcript: 'Von jemand anderem' });
  const refused = await seed();
  expect(refused).toMatchObject({
    code: 2,
    err: expect.stringContaining('There are 1 contributions which this command did not make'),
  });
  expect(await values('select count(*)::int as value from public.interviews')).toEqual([1]);

  const first = await seed('--beside-others');
  expect(first).toMatchObject({ code: 0, out: expect.stringContaining('30 added, 0 were there') });
  await asOwner(server.databaseUrl, (client) => client.query('delete from public.interviews where id = $1', [foreign]));
  expect(new Set(await values('select kind as value from private.desk_items'))).toEqual(new Set(CONTRIBUTION_KINDS));
  expect(new Set(await values('select state as value from private.desk_items'))).toEqual(new Set(DESK_STATES));
  expect(new Set(await values('select area as value from private.desk_items'))).toEqual(
    new Set(AREAS.map(({ id }) => id)),
  );
  expect(await values('select count(*)::int as value from private.desk_items where not finished')).toEqual([2]);
  expect(new Set(await values('select state as value from public.posts'))).toEqual(new Set(POST_STATES));
  expect(new Set(await values('select answer as value from public.review_answers'))).toEqual(
    new Set([...REVIEW_ANSWERS, 'withdraw']),
  );
  const counts = await values(COUNTS);

  // A run that ends before its last step leaves a contribution that was not dated back.
  await asOwner(server.databaseUrl, (client) =>
    client.query(
      `update public.interviews set created_at = now() where id = (select min(interview_id) from public.media_uploads
        where file_type = 'audio/wav')`,
    ),
  );
  expect(await seed()).toMatchObject({ code: 0, out: 'Demo contributions: 1 added, 29 were there.\n' });
  expect(await values(COUNTS)).toEqual(counts);

  const links = [
    ...first.out.matchAll(/contribution \d+: https:\/\/beitrag\.test\/freigabe#k=(\S+)( \(expired\))?$/gm),
  ];
  expect(links).toHaveLength(4);
  const reviews = await Promise.all(
    links.map(
      async ([, key = '']) => (await server.client({ headers: { [REVIEW_KEY_HEADER]: key } }).rpc('review_open')).data,
    ),
  );
  expect(links.map(([, , expired]) => expired !== undefined)).toEqual(reviews.map((data) => data === null));
  // A link is sent with its contribution's day, so one of more than thirty days ago has expired.
  const opened = reviews.flatMap((data) => (data === null ? [] : [ReviewSchema.parse(data)]));
  expect(opened).toHaveLength(3);
  expect(opened.map(({ posts }) => posts.map(({ state }) => state))).toContainEqual([
    'approved',
    'changes_requested',
    'declined',
    'in_review',
  ]);

  const [path] = await values(
    `select file_path as value from public.media_uploads where file_type = 'video/mp4' limit 1`,
  );
  const { data } = await server.service().storage.from('Media').download(String(path));
  expect(data?.type).toBe('video/mp4');
});
