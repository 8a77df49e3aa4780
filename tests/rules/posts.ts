import { strict as assert } from 'node:assert';
import { POST_STATES } from '#contract/posts.ts';
import { REVIEW_KEY_HEADER } from '#contract/review.ts';
import { anon, attempt, login } from '#tests/support/callers.ts';
import { sentPost } from '#tests/support/matrix-cases.ts';
import { mayFollow } from '#tests/support/post-moves.ts';
import {
  getAdmin,
  answer,
  boundId,
  foreignId,
  getId,
  getMember,
  must,
  mustBeRefused,
  getValues,
  type Rule,
  type Scene,
} from './rules.ts';

type Json = Readonly<Record<string, unknown>>;

export const asDesk = async (scene: Scene, sql: string, params: readonly unknown[] = []): Promise<Json> =>
  (await answer(scene, `select ${sql} as value`, params, login(getAdmin(scene)))) as Json;
export const refusedDesk = (scene: Scene, code: string, sql: string, params: readonly unknown[] = []) =>
  mustBeRefused(attempt(scene.database, login(getAdmin(scene)), `select ${sql}`, params), code);

/** A draft of the desk; its id. */
export async function addPost(scene: Scene, contribution = boundId(scene), body = 'Text'): Promise<number> {
  return Number((await asDesk(scene, `desk_post_add($1, 'linkedin', $2)`, [contribution, body]))['id']);
}

/** As if the post had come there through its review. */
export const putInto = (scene: Scene, id: number, state: string) =>
  must(
    scene,
    `alter table posts disable trigger on_post_state;
     update posts set state = '${state}', sent_version = version, published_at = now(), published_url = 'https://a/1',
       withdrawn_at = now() where id = ${id};
     alter table posts enable trigger on_post_state`,
  );

const getState = (scene: Scene, id: number) => answer(scene, 'select state as value from posts where id = $1', [id]);

export const lastLine = (scene: Scene) =>
  answer(
    scene,
    'select jsonb_build_array(what, interview_id, by, detail) as value from desk_audit_log order by id desc limit 1',
  );

const countLines = (scene: Scene) => answer(scene, 'select count(*) as value from desk_audit_log');

const changedAt = (scene: Scene) =>
  getValues(scene, 'select jsonb_build_array(interview_id, changed_at) as value from private.desk_items order by 1');

const SAVE = 'public.desk_post_save(bigint,integer,text,jsonb,text,text,timestamp with time zone)';
const ADD = 'public.desk_post_add(bigint,text,text,jsonb,text,text)';
const MOVE = 'public.desk_post_move(bigint,integer,text,text,timestamp with time zone)';
const REMOVE = 'public.desk_post_remove(bigint,integer)';
const LOCK = ['private.lock_contribution(bigint)', 'private.lock_post(bigint,integer)'];
const WRITE = ['private.write_version(public.posts,text,jsonb,text,text)', 'private.note_post(bigint,text,jsonb,uuid)'];
const SHOW = ['private.desk_post(public.posts)', 'private.post_version(bigint,integer)'];

const WRITING_RULES: readonly Rule[] = [
  {
    name: 'Posts: a save makes a version and a draft, and one from an older version is told so',
    about: [SAVE, ADD, ...LOCK, ...WRITE, ...SHOW],
    check: async (scene) => {
      const id = await addPost(scene);
      const lines = await changedAt(scene);
      await putInto(scene, id, 'approved');
      const saved = await asDesk(scene, `desk_post_save($1, 1, 'Neu', '[]', 'model', 'llama')`, [id]);
      const { current, ...post } = saved;
      const { version, body, pictures, origin, model, by } = current as Json;
      assert.deepEqual([post['state'], post['version'], post['sentVersion']], ['draft', 2, 1]);
      const author = getAdmin(scene).id;
      assert.deepEqual([version, body, pictures, origin, model, by], [2, 'Neu', [], 'model', 'llama', author]);
      assert.deepEqual(await lastLine(scene), ['post', boundId(scene), author, { post: id, version: 2 }]);
      // Open lists hear of it, of this contribution alone.
      const touched = (await changedAt(scene)).filter((line, at) => String(line) !== String(lines[at]));
      assert.equal(touched.length, 1);
      await refusedDesk(scene, 'PT409', `desk_post_save($1, 1, 'Anders')`, [id]);
      await refusedDesk(scene, 'PT409', `desk_post_save($1, null, 'Anders')`, [id]);
      await refusedDesk(scene, 'PT404', `desk_post_save(999999, 1, 'Anders')`);
      await refusedDesk(scene, 'PT404', `desk_post_add(999999, 'linkedin', 'Text')`);
      const bodies = 'select body as value from post_versions where post_id = $1 order by version';
      assert.deepEqual(await getValues(scene, bodies, [id]), ['Text', 'Neu']);
      const authors = `select count(*)::int as value from posts where created_by = $1`;
      assert.equal(await answer(scene, authors, [author]), 1);
    },
  },
  {
    name: 'Posts: a save that has not seen an answer or a move is told so, and takes nothing back (0380)',
    about: [SAVE],
    check: async (scene) => {
      const id = await addPost(scene);
      const changed = () => answer(scene, 'select changed_at::text as value from posts where id = $1', [id]);
      const seen = await changed();
      await putInto(scene, id, 'changes_requested');
      await must(scene, 'update posts set changed_at = clock_timestamp() where id = $1', [id]);
      await refusedDesk(scene, 'PT409', `desk_post_save($1, 1, 'Neu', seen => $2)`, [id, seen]);
      assert.equal(await answer(scene, 'select state as value from posts where id = $1', [id]), 'changes_requested');
      const saved = await asDesk(scene, `desk_post_save($1, 1, 'Neu', seen => $2)`, [id, await changed()]);
      assert.deepEqual([saved['state'], saved['version']], ['draft', 2]);
    },
  },
  {
    name: 'Posts: a published text is not edited',
    about: [SAVE, 'on_post_state', 'private.on_post_state()'],
    check: async (scene) => {
      const id = await addPost(scene);
      await putInto(scene, id, 'published');
      await refusedDesk(scene, '22023', `desk_post_save($1, 1, 'Neu')`, [id]);
    },
  },
  {
    name: 'Posts: pictures are uploads of their own contribution',
    about: [...WRITE],
    check: async (scene) => {
      const uploads = `select json_agg(json_build_object('upload', id, 'alt', '', 'used', true)) as value
        from media_uploads where interview_id = $1`;
      const own = JSON.stringify(await answer(scene, uploads, [boundId(scene)]));
      const other = JSON.stringify(await answer(scene, uploads, [foreignId(scene)]));
      await asDesk(scene, `desk_post_add($1, 'linkedin', '', $2)`, [boundId(scene), own]);
      await refusedDesk(scene, '22023', `desk_post_add($1, 'linkedin', '', $2)`, [boundId(scene), other]);
      const missing = JSON.stringify([{ upload: 999_999, alt: '', used: true }]);
      await refusedDesk(scene, '22023', `desk_post_add($1, 'linkedin', '', $2)`, [boundId(scene), missing]);
    },
  },
  {
    name: 'Posts: a version is never changed, but its author may go',
    about: ['on_version_change', 'private.on_version_change()', 'public.post_versions'],
    check: async (scene) => {
      const id = await addPost(scene);
      for (const change of [`body = 'x'`, 'version = 2', `origin = 'model', model = 'm'`, 'created_at = now()']) {
        await mustBeRefused(scene.owner(`update post_versions set ${change} where post_id = $1`, [id]));
      }
      const other = getMember(scene, 'firma_a').id;
      await mustBeRefused(scene.owner('update post_versions set created_by = $2 where post_id = $1', [id, other]));
      await must(scene, 'update post_versions set created_by = null where post_id = $1', [id]);
    },
  },
  {
    name: 'Posts: states follow their table, for the owner of the database too',
    about: ['on_post_state', 'private.on_post_state()', 'private.is_post_move(text,text)'],
    check: async (scene) => {
      const id = await addPost(scene);
      for (const before of POST_STATES) {
        for (const after of POST_STATES.filter((state) => state !== before)) {
          await putInto(scene, id, before);
          const { kind } = await scene.owner('update posts set state = $2 where id = $1', [id, after]);
          assert.equal(kind === 'done', mayFollow(before, after), `${before} to ${after}`);
        }
      }
    },
  },
  {
    name: 'Posts: the team stops, takes back and publishes, and leaves the rest to the review',
    about: [MOVE, ...LOCK, ...WRITE],
    check: async (scene) => {
      const id = await addPost(scene);
      for (const state of ['in_review', 'approved', 'changes_requested', null]) {
        await refusedDesk(scene, '22023', 'desk_post_move($1, 1, $2)', [id, state]);
      }
      await refusedDesk(scene, '22023', `desk_post_move($1, 1, 'published')`, [id]);
      await putInto(scene, id, 'in_review');
      await refusedDesk(scene, '22023', `desk_post_move($1, 1, 'draft', 'https://a/2')`, [id]);
      await asDesk(scene, `desk_post_move($1, 1, 'draft')`, [id]);
      assert.equal(await getState(scene, id), 'draft');
      await putInto(scene, id, 'approved');
      const published = await asDesk(scene, `desk_post_move($1, 1, 'published')`, [id]);
      // What an earlier publication left is gone.
      assert.deepEqual([published['publishedUrl'], published['withdrawnAt']], [null, null]);
      const line = { post: id, version: 1, from: 'approved', to: 'published' };
      assert.deepEqual(await lastLine(scene), ['post_state', boundId(scene), getAdmin(scene).id, line]);
      await must(scene, `update posts set published_at = '2020-01-01', withdrawn_at = '2020-01-02' where id = $1`, [
        id,
      ]);
      await refusedDesk(scene, '23514', `desk_post_move($1, 1, 'published', 'javascript:1')`, [id]);
      const again = await asDesk(scene, `desk_post_move($1, 1, 'published', 'https://a/2')`, [id]);
      assert.equal(again['publishedUrl'], 'https://a/2');
      const stopped = await asDesk(scene, `desk_post_move($1, 1, 'declined')`, [id]);
      const { state, publishedUrl, publishedAt, withdrawnAt } = stopped;
      assert.deepEqual([state, publishedUrl], ['declined', 'https://a/2']);
      assert.match(`${String(publishedAt)} ${String(withdrawnAt)}`, /^2020-01-01T.* 2020-01-02T/);
      await refusedDesk(scene, 'PT409', `desk_post_move($1, 2, 'draft')`, [id]);
      const others = `select count(*)::int as value from posts where state = 'declined'`;
      assert.equal(await answer(scene, others), 1);
    },
  },
  {
    name: 'Posts: a move of a post that a colleague moved meanwhile is told so, and the same move is done once',
    about: [MOVE, ...LOCK],
    check: async (scene) => {
      const id = await addPost(scene);
      await putInto(scene, id, 'approved');
      const seen = await answer(scene, 'select changed_at::text as value from posts where id = $1', [id]);
      const publish = `desk_post_move($1, 1, 'published', $2, $3)`;
      const published = await asDesk(scene, publish, [id, 'https://a/2', seen]);
      const lines = await countLines(scene);
      await refusedDesk(scene, 'PT409', publish, [id, 'https://a/3', seen]);
      await refusedDesk(scene, 'PT409', `desk_post_move($1, 1, 'declined', null, $2)`, [id, seen]);
      // A request whose answer was lost is sent again as it was.
      assert.deepEqual(await asDesk(scene, publish, [id, 'https://a/2', seen]), published);
      assert.equal(await countLines(scene), lines);
      const next = await asDesk(scene, publish, [id, 'https://a/3', published['changedAt']]);
      assert.equal(next['publishedUrl'], 'https://a/3');
    },
  },
  {
    name: 'Posts: the team removes what was never sent, and nothing else',
    about: [REMOVE, ...LOCK],
    check: async (scene) => {
      const [id, kept] = [await addPost(scene), await addPost(scene)];
      const count = 'select count(*)::int as value from posts where interview_id = $1';
      await refusedDesk(scene, '22023', 'desk_post_remove($1, 1)', [sentPost(boundId(scene))]);
      await asDesk(scene, 'desk_post_remove($1, 1)', [id]);
      assert.deepEqual(await lastLine(scene), [
        'post',
        boundId(scene),
        getAdmin(scene).id,
        { post: id, removed: true },
      ]);
      assert.equal(await answer(scene, count, [boundId(scene)]), 2);
      assert.equal(await getState(scene, kept), 'draft');
    },
  },
];

const INTERVIEW_KEY = 'i'.repeat(43);

const READING_RULES: readonly Rule[] = [
  {
    name: 'Posts: a member reads what was sent of the own contributions, and of an older text no more',
    about: ['public.posts', 'public.post_versions', 'public.review_answers'],
    check: async (scene) => {
      const member = getMember(scene, 'firma_a');
      const own = getId(scene.fixture.contributions, member.id);
      const draft = await addPost(scene, own);
      const sent = sentPost(own);
      await asDesk(scene, `desk_post_save($1, 1, 'Neu')`, [sent]);
      await must(scene, `insert into post_versions (post_id, version, body) values ($1, 9, 'x')`, [draft]);
      await must(scene, `insert into review_answers (post_id, version, answer) values ($1, 9, 'approve')`, [draft]);
      const rows = (sql: string) => answer(scene, `select json_agg(${sql}`, [], login(member));
      assert.deepEqual(await rows('id) as value from posts'), [sent]);
      assert.deepEqual(await rows('json_build_array(post_id, version)) as value from post_versions'), [[sent, 1]]);
      assert.deepEqual(await rows('post_id) as value from review_answers'), [sent]);
      // An administrator reads drafts and older texts, too.
      const all = 'select count(*)::int as value from post_versions';
      assert.equal(await answer(scene, all, [], login(getAdmin(scene))), await answer(scene, all));
      // Without a role the key of the contribution alone opens no post.
      await must(scene, 'insert into private.interview_keys (key_hash, interview_id) values (sha256($1), $2)', [
        INTERVIEW_KEY,
        own,
      ]);
      await must(scene, 'delete from user_roles where user_id = $1', [member.id]);
      const keyed = login(member, INTERVIEW_KEY);
      assert.equal(await answer(scene, 'select count(*)::int as value from interviews', [], keyed), 1);
      assert.equal(await answer(scene, 'select count(*)::int as value from posts', [], keyed), 0);
    },
  },
  {
    name: 'Posts: the desk reads the newest text, all answers and the link that counts',
    about: ['public.desk_posts(bigint)', ...SHOW],
    check: async (scene) => {
      const links = `insert into private.review_links (interview_id, key_hash, expires_at, revoked_at) values
        ($1, sha256('a'), now() + interval '1 day', now()), ($1, sha256('b'), now() - interval '1 day', null),
        ($2, sha256('c'), now() + interval '1 day', null)`;
      await must(scene, links, [boundId(scene), foreignId(scene)]);
      const sent = sentPost(boundId(scene));
      await asDesk(scene, `desk_post_save($1, 1, 'Fremd')`, [sentPost(foreignId(scene))]);
      await must(
        scene,
        `insert into review_answers (post_id, version, answer, comment) values ($1, 1, 'change', 'b')`,
        [sent],
      );
      await asDesk(scene, `desk_post_save($1, 1, 'Neu')`, [sent]);
      const read = await asDesk(scene, 'desk_posts($1)', [boundId(scene)]);
      const posts = read['posts'] as Json[];
      assert.deepEqual(
        posts.map(({ id, current, answers }) => [
          id,
          (current as Json)['body'],
          (answers as Json[]).map(({ answer: given, comment }) => [given, comment]),
        ]),
        [
          [
            sent,
            'Neu',
            [
              ['approve', ''],
              ['change', 'b'],
            ],
          ],
        ],
      );
      assert.equal((read['link'] as Json)['expired'], true);
      const foreign = await asDesk(scene, 'desk_posts($1)', [foreignId(scene)]);
      assert.equal((foreign['link'] as Json)['expired'], false);
      const texts = (foreign['posts'] as Json[]).map(({ current }) => (current as Json)['body']);
      assert.deepEqual(texts, ['Fremd']);
      assert.deepEqual(await asDesk(scene, 'desk_posts(999999)'), { posts: [], link: null, mailWaiting: false });
    },
  },
  {
    name: 'Posts: the desk learns whether a mail with a link waits, of this contribution and of no other kind',
    about: ['public.desk_posts(bigint)'],
    check: async (scene) => {
      const mail = `insert into private.desk_mails (key, interview_id, mail, state, address)
        values (gen_random_uuid()::text, $1, $2, $3, 'ada@beispiel.test')`;
      const isWaiting = async (): Promise<unknown> =>
        (await asDesk(scene, 'desk_posts($1)', [boundId(scene)]))['mailWaiting'];
      await must(scene, 'delete from private.desk_mails');
      await must(scene, mail, [foreignId(scene), 'review', 'waiting']);
      await must(scene, mail, [boundId(scene), 'published', 'waiting']);
      await must(scene, mail, [boundId(scene), 'review', 'sent']);
      assert.equal(await isWaiting(), false);
      await must(scene, mail, [boundId(scene), 'review_reminder', 'waiting']);
      assert.equal(await isWaiting(), true);
    },
  },
];

const UPKEEP_RULES: readonly Rule[] = [
  {
    name: 'Posts: the newest text is found with its contribution, and a removed one no more',
    about: [
      'on_post_words',
      'private.on_post_words()',
      'on_post_delete',
      'private.on_post_delete()',
      'private.desk_index(bigint[])',
    ],
    check: async (scene) => {
      const found = async (word: string): Promise<unknown> =>
        getValues(
          scene,
          `select interview_id::int as value from private.desk_search
            where words @@ websearch_to_tsquery('german', $1)`,
          [word],
        );
      const id = await addPost(scene, boundId(scene), 'Die Wellendichtung.');
      await addPost(scene, boundId(scene), 'Etwas anderes.');
      await addPost(scene, foreignId(scene), 'Etwas Fremdes.');
      assert.deepEqual(await found('Wellendichtungen'), [boundId(scene)]);
      await asDesk(scene, `desk_post_save($1, 1, 'Das Kugellager.')`, [id]);
      assert.deepEqual([await found('Wellendichtung'), await found('Kugellager')], [[], [boundId(scene)]]);
      await asDesk(scene, 'desk_post_remove($1, 2)', [id]);
      assert.deepEqual(await found('Kugellager'), []);
      await must(
        scene,
        `insert into posts (id, interview_id, channel) overriding system value values (900001, $1, 'x')`,
        [boundId(scene)],
      );
      // What cannot be indexed is saved, and mended later.
      await must(scene, 'alter table private.desk_search add constraint broken check (false) not valid');
      await must(scene, `insert into post_versions (post_id, version, body) values (900001, 1, 'Das Zahnrad.')`);
      const stale = 'select interview_id::int as value from private.desk_stale';
      assert.deepEqual(await getValues(scene, stale), [boundId(scene)]);
      await must(scene, 'delete from private.desk_stale');
      await must(scene, 'delete from posts where id = 900001');
      assert.deepEqual(await getValues(scene, stale), [boundId(scene)]);
    },
  },
  {
    name: 'Statistics: posts are counted by channel and state',
    about: ['public.admin_posts()'],
    check: async (scene) => {
      await must(scene, 'delete from posts where interview_id <> $1', [boundId(scene)]);
      await addPost(scene);
      await addPost(scene, foreignId(scene));
      const rows = 'select jsonb_agg(jsonb_build_array(channel, state, posts)) as value from admin_posts()';
      assert.deepEqual(await answer(scene, rows, [], login(getAdmin(scene))), [
        ['linkedin', 'draft', 2],
        ['linkedin', 'in_review', 1],
      ]);
    },
  },
];

const LOCK_NOT_AVAILABLE = '55P03';

/** See locks.ts: the other connection holds the row of a prepared contribution. */
const LOCK_RULES: readonly Rule[] = [
  ['the contribution, as its erasure does', 'select from interviews where id = $1 for update'],
  ['its line', 'select from private.desk_items where interview_id = $1 for no key update'],
].map(([held, sql = '']) => ({
  name: `Posts: who works on them waits for another one who holds ${held}`,
  about: ['private.lock_contribution(bigint)', 'private.lock_post(bigint,integer)', ADD],
  watches: 'these',
  check: async (scene) => {
    await must(scene, `set local lock_timeout = '100ms'`);
    await scene.elsewhere(async (other) => {
      await other.query('begin');
      await other.query(sql, [boundId(scene)]);
      await refusedDesk(scene, LOCK_NOT_AVAILABLE, `desk_post_add($1, 'linkedin', 'Text')`, [boundId(scene)]);
      await refusedDesk(scene, LOCK_NOT_AVAILABLE, `desk_post_save($1, 1, 'Text')`, [sentPost(boundId(scene))]);
      await refusedDesk(scene, LOCK_NOT_AVAILABLE, 'desk_review_revoke($1)', [boundId(scene)]);
      await asDesk(scene, `desk_post_add($1, 'linkedin', 'Text')`, [foreignId(scene)]);
    });
  },
}));

export const POST_RULES: readonly Rule[] = [...WRITING_RULES, ...READING_RULES, ...UPKEEP_RULES, ...LOCK_RULES];

/** Somebody without a login who sends that key. */
export const bearer = (key: string) => {
  const caller = anon();
  return { ...caller, headers: { ...caller.headers, [REVIEW_KEY_HEADER]: key } };
};
