import { strict as assert } from 'node:assert';
import { attempt, login, getRows } from '#tests/support/callers.ts';
import {
  answer,
  foreignId,
  getMember,
  must,
  mustBeRefused,
  mustWork,
  getValues,
  type Rule,
  type Scene,
} from './rules.ts';

type Item = Readonly<Record<string, unknown>>;

const LIST = 'public.own_contributions(timestamp with time zone,bigint)';
const ABOUT = [LIST, 'private.own_state(private.desk_items)', 'private.own_links(private.desk_items)'];

async function listOwn(scene: Scene, before: readonly unknown[] = [null, null]): Promise<readonly Item[]> {
  const caller = login(getMember(scene, 'firma_b'));
  const [row] = await getRows(scene.database, caller, 'select own_contributions($1, $2) as value', before);
  return (row as Readonly<{ value: readonly Item[] }>).value;
}

/** Contributions of one account alone, oldest first. */
async function contribute(
  scene: Scene,
  times: readonly string[],
  user = getMember(scene, 'firma_b').id,
): Promise<number[]> {
  const made = `insert into interviews (user_id, created_at) select $1, t from unnest($2::timestamptz[]) as t returning id::int as value`;
  return (await getValues(scene, made, [user, times])) as number[];
}

async function startOver(scene: Scene): Promise<void> {
  await must(scene, 'delete from interviews where user_id = $1', [getMember(scene, 'firma_b').id]);
}

const addPost = (scene: Scene, contribution: number, state: string, url: string | null = null) =>
  must(
    scene,
    `insert into posts (interview_id, channel, state, sent_version, published_at, published_url)
      values ($1, 'x', $2, 1, now(), $3)`,
    [contribution, state, url],
  );

const putLine = (scene: Scene, contribution: number, state: string, finished: boolean, url: string | null = null) =>
  must(scene, 'update private.desk_items set state = $2, finished = $3, published_url = $4 where interview_id = $1', [
    contribution,
    state,
    finished,
    url,
  ]);

const DISCARD = ['public.discard_contribution(bigint)'];

const discard = (scene: Scene, id: number, role: 'firma_a' | 'firma_b' | 'admin' = 'firma_b') =>
  attempt(scene.database, login(getMember(scene, role)), 'select discard_contribution($1)', [id]);

async function hangOn(scene: Scene, id: number): Promise<void> {
  for (const row of [
    `storage.objects (bucket_id, name) values ('Media', $1::bigint || '/a.pdf')`,
    `media_uploads (interview_id, file_path, file_type) values ($1, $1::bigint || '/a.pdf', 'application/pdf')`,
    `interview_turns (interview_id, position, speaker, content) values ($1, 1, 'user', 'Ja')`,
    `private.interview_keys (interview_id, key_hash) values ($1, sha256($1::bigint::text::bytea))`,
  ])
    await must(scene, `insert into ${row}`, [id]);
}

export const OWN_CONTRIBUTION_RULES: readonly Rule[] = [
  {
    name: 'Own contributions: pages of 25, newest first, each once, also where many began at once (posts)',
    about: [LIST],
    check: async (scene) => {
      await startOver(scene);
      const times = Array.from({ length: 60 }, (_, at) => `2026-01-${at < 40 ? '02' : '01'}T00:00:00Z`);
      const ids = await contribute(scene, times);
      await contribute(scene, times, getMember(scene, 'firma_a').id);
      const seen: unknown[] = [];
      let page = await listOwn(scene);
      while (page.length > 0) {
        assert.ok(page.length <= 25);
        seen.push(...page.map(({ id }) => id));
        assert.ok(seen.length <= times.length, 'pages that never end');
        const last = page.at(-1);
        page = await listOwn(scene, [last?.['createdAt'], last?.['id']]);
      }
      const newest = (some: readonly number[]): number[] => some.toSorted((a, b) => b - a);
      assert.deepEqual(seen, [...newest(ids.slice(0, 40)), ...newest(ids.slice(40))]);
      assert.equal((await listOwn(scene)).length, 25);
    },
  },
  {
    name: 'Own contributions: each shows its own kind, files and whether it has a transcript (posts)',
    about: [LIST],
    check: async (scene) => {
      await startOver(scene);
      const [one, two] = await contribute(scene, ['2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z']);
      await must(scene, `update interviews set transcript = 'Du: Ja' where id = $1`, [one]);
      await must(scene, `update interviews set transcript = '' where id = $1`, [two]);
      const media = `insert into media_uploads (interview_id, file_path, file_type) values ($1, $1::bigint || '/a.pdf', 'application/pdf')`;
      await must(scene, media, [two]);
      const origin = `insert into contribution_origins (interview_id, area, kind, topic) values ($1, 'firma-b', $2, $3)`;
      await must(scene, origin, [one, 'interview', 'tech-dive']);
      await must(scene, origin, [two, 'document', null]);
      const common = { area: 'firma-b', state: 'unfinished', links: [], review: false };
      assert.deepEqual(
        (await listOwn(scene)).map((item) =>
          Object.fromEntries(Object.entries(item).filter(([name]) => name !== 'createdAt')),
        ),
        [
          { id: two, kind: 'document', topic: null, files: 1, transcript: false, ...common },
          { id: one, kind: 'interview', topic: 'tech-dive', files: 0, transcript: true, ...common },
        ],
      );
      await must(scene, 'delete from private.desk_items where interview_id = $1', [two]);
      const [bare] = await listOwn(scene);
      assert.deepEqual([bare?.['id'], bare?.['files'], bare?.['state'], bare?.['kind']], [two, 0, 'received', null]);
    },
  },
  {
    name: 'Own contributions: the state follows posts and desk, and the links lead to what is published (posts)',
    about: ABOUT,
    check: async (scene) => {
      await startOver(scene);
      const times = Array.from({ length: 9 }, (_, at) => `2026-01-0${at + 1}T00:00:00Z`);
      const [plain, open, begun, refused, desk, draft, review, out, none] = (await contribute(scene, times)) as [
        number,
        number,
        number,
        number,
        number,
        number,
        number,
        number,
        number,
      ];
      const url = 'https://example.org/desk';
      await putLine(scene, plain, 'new', true);
      await putLine(scene, open, 'in_progress', false);
      await putLine(scene, begun, 'in_progress', true);
      await putLine(scene, refused, 'rejected', true);
      await putLine(scene, desk, 'published', true, url);
      await putLine(scene, draft, 'new', true);
      await addPost(scene, draft, 'draft', 'https://example.org/draft');
      await putLine(scene, review, 'new', false);
      await addPost(scene, review, 'published', 'https://example.org/1');
      await addPost(scene, review, 'in_review');
      await putLine(scene, out, 'published', true, url);
      await addPost(scene, out, 'published', 'https://example.org/2');
      await putLine(scene, none, 'new', false, url);
      await addPost(scene, none, 'published');
      const items = (await listOwn(scene)).toReversed().map(({ state, links }) => [state, links]);
      assert.deepEqual(items, [
        ['received', []],
        ['unfinished', []],
        ['in_progress', []],
        ['closed', []],
        ['published', [{ channel: null, url }]],
        ['in_progress', []],
        ['waiting', [{ channel: 'x', url: 'https://example.org/1' }]],
        [
          'published',
          [
            { channel: null, url },
            { channel: 'x', url: 'https://example.org/2' },
          ],
        ],
        ['published', []],
      ]);
      const reviewed = (await listOwn(scene)).filter((item) => item['review'] === true).map(({ id }) => id);
      assert.deepEqual(reviewed, [none, out, review, draft], 'a new link leads there');
      // The desk may have noted the address of a post; the post knows whether it is still published.
      await addPost(scene, draft, 'draft', url);
      const find = async (id: number) => (await listOwn(scene)).find((one) => one['id'] === id);
      const linksOf = async (id: number) => (await find(id))?.['links'];
      const stateOf = async (id: number) => (await find(id))?.['state'];
      assert.deepEqual(await linksOf(desk), [{ channel: null, url }]);
      await addPost(scene, desk, 'published', url);
      assert.deepEqual(await linksOf(desk), [{ channel: 'x', url }]);
      await must(scene, `update posts set state = 'declined', stopped = true where interview_id = $1`, [desk]);
      assert.deepEqual(await linksOf(desk), []);
      assert.equal(await stateOf(desk), 'closed', 'what the channel has no more');
      await putLine(scene, desk, 'published', true, `${url}/elsewhere`);
      assert.equal(await stateOf(desk), 'published', 'and is still there elsewhere');
      await addPost(scene, desk, 'approved');
      assert.equal(await stateOf(desk), 'published', 'another one follows');
      await must(scene, 'delete from posts where interview_id = $1', [desk]);
      await putLine(scene, desk, 'published', true);
      assert.deepEqual([await linksOf(desk), await stateOf(desk)], [[], 'published']);
      // A rejected contribution asks for no review, whatever state its posts are in.
      await putLine(scene, review, 'rejected', true);
      await must(scene, `update posts set state = 'in_review' where interview_id = $1`, [draft]);
      await putLine(scene, draft, 'rejected', true);
      assert.deepEqual([await stateOf(review), await stateOf(draft)], ['published', 'closed']);
    },
  },
  {
    name: 'Own contributions: an account without a role has none (posts)',
    about: [LIST],
    check: async (scene) => {
      const caller = login(getMember(scene, 'firma_a'));
      const count = 'select jsonb_array_length(own_contributions()) as value';
      const before = await getRows(scene.database, caller, count);
      assert.notDeepEqual(before, [{ value: 0 }]);
      await must(scene, `delete from user_roles where role = 'firma_a'`);
      assert.deepEqual(await getRows(scene.database, caller, count), [{ value: 0 }]);
    },
  },
  {
    name: 'Own contributions: a begun one is discarded by its owner alone, with all that hangs on it, and its files follow (0420)',
    about: DISCARD,
    check: async (scene) => {
      await startOver(scene);
      const [gone, stays] = (await contribute(scene, ['2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z'])) as [
        number,
        number,
      ];
      for (const id of [gone, stays]) await hangOn(scene, id);
      const all = 'select array_agg(id::int order by id) as value from interviews';
      const before = (await answer(scene, all)) as number[];
      for (const id of [foreignId(scene), 999_999]) await mustWork(discard(scene, id));
      for (const role of ['firma_a', 'admin'] as const) await mustWork(discard(scene, gone, role));
      assert.deepEqual(await answer(scene, all), before, "another's");
      const others = 'select e::text as value from private.erasures as e where contribution = 1';
      await must(
        scene,
        `insert into private.erasures (what, contribution, claimed_until) values ('contribution', 1, now())`,
      );
      const other = await answer(scene, others);
      for (const _ of ['once', 'again']) await mustWork(discard(scene, gone));
      assert.equal(await answer(scene, others), other);
      await must(scene, 'delete from private.erasures where contribution = 1');
      assert.deepEqual(
        await answer(scene, all),
        before.filter((id) => id !== gone),
      );
      const left = (table: string) => getValues(scene, `select interview_id::int as value from ${table} order by 1`);
      for (const table of ['media_uploads', 'interview_turns', 'private.interview_keys', 'private.desk_items'])
        assert.ok(!(await left(table)).includes(gone) && (await left(table)).includes(stays), table);
      const erasures = `select jsonb_build_array(e.what, e.by, e.contribution, c.files, c.turns, e.claimed_until < now())
        as value from private.erasures as e join private.erasure_counts as c on c.erasure = e.id`;
      const { id: by } = getMember(scene, 'firma_b');
      assert.deepEqual(await getValues(scene, erasures), [['discarded', by, gone, 1, 1, true]]);
      const next = 'select desk_erasure_next(id)::int as value from private.erasures';
      assert.equal(await answer(scene, next), gone, 'its files are still there');
    },
  },
  {
    name: 'Own contributions: a review is offered of what a post was sent of, of a draft of the team none (posts)',
    about: [LIST],
    check: async (scene) => {
      await startOver(scene);
      const ids = await contribute(scene, ['2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z']);
      await addPost(scene, ids[1] ?? 0, 'in_review');
      await must(scene, `insert into posts (interview_id, channel) values ($1, 'x')`, [ids[0]]);
      assert.deepEqual(
        (await listOwn(scene)).map((item) => item['review']),
        [true, false],
      );
    },
  },
  {
    name: 'Own contributions: what is handed in, or of which a post was sent, is not discarded (0420)',
    about: DISCARD,
    check: async (scene) => {
      await startOver(scene);
      const times = Array.from({ length: 3 }, (_, at) => `2026-01-0${at + 1}T00:00:00Z`);
      const [handedIn, inReview, begun] = (await contribute(scene, times)) as [number, number, number];
      await must(scene, `update interviews set contact_email = 'a@beispiel.test' where id = $1`, [handedIn]);
      // A line that waits to be mended.
      await putLine(scene, handedIn, 'new', false);
      await addPost(scene, inReview, 'in_review');
      for (const id of [handedIn, inReview]) await mustBeRefused(discard(scene, id), 'PT409');
      // The answer to a post, by a link that the team passed on, is what it goes by.
      for (const state of ['approved', 'changes_requested', 'declined', 'draft']) {
        await must(scene, 'delete from posts where interview_id = $1', [inReview]);
        await addPost(scene, inReview, state);
        await mustBeRefused(discard(scene, inReview), 'PT409');
      }
      await must(scene, `delete from user_roles where role = 'firma_b'`);
      await mustWork(discard(scene, begun));
      assert.equal(await answer(scene, 'select count(*)::int as value from interviews where id = $1', [begun]), 1);
    },
  },
];
