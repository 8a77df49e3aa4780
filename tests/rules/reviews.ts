import { strict as assert } from 'node:assert';
import { createHash } from 'node:crypto';
import { attempt, login, probe } from '#tests/support/callers.ts';
import { sentPost } from '#tests/support/matrix-cases.ts';
import { commitMeanwhile } from './commit-meanwhile.ts';
import { addPost, asDesk, bearer, lastLine, putInto, refusedDesk } from './posts.ts';
import {
  getAdmin,
  answer,
  boundId,
  foreignId,
  must,
  mustBeRefused,
  getValues,
  type Rule,
  type Scene,
} from './rules.ts';

type Json = Readonly<Record<string, unknown>>;

const KEY = 'k'.repeat(43);
const hash = (key: string): string => createHash('sha256').update(key).digest('hex');

/** An earlier link of the same key makes room. */
async function send(scene: Scene, posts: readonly unknown[], key = KEY, contribution = boundId(scene)): Promise<Json> {
  await must(scene, 'update private.review_links set key_hash = sha256(key_hash) where key_hash = sha256($1)', [key]);
  return asDesk(scene, 'desk_review_send($1, $2, $3)', [contribution, JSON.stringify(posts), hash(key)]);
}

const refusedSend = (scene: Scene, code: string, posts: unknown, key: unknown = hash(KEY)) =>
  refusedDesk(scene, code, 'desk_review_send($1, $2, $3)', [boundId(scene), JSON.stringify(posts), key]);
const review = async (scene: Scene, sql: string, params: readonly unknown[] = [], key = KEY): Promise<Json> =>
  (await answer(scene, `select ${sql} as value`, params, bearer(key))) as Json;
const refusedReview = (scene: Scene, code: string, sql: string, params: readonly unknown[] = [], key = KEY) =>
  mustBeRefused(attempt(scene.database, bearer(key), `select ${sql}`, params), code);

/** A post of the bound contribution in review, under KEY. */
async function sendPost(scene: Scene): Promise<number> {
  const id = await addPost(scene);
  await send(scene, [{ id, version: 1 }]);
  return id;
}

const getState = (scene: Scene, id: number) => answer(scene, 'select state as value from posts where id = $1', [id]);
const getAnswers = (scene: Scene, id: number) =>
  getValues(
    scene,
    `select jsonb_build_array(version, answer, comment) as value from review_answers where post_id = $1 order by id`,
    [id],
  );
const getOutcome = async (scene: Scene, id: number, given: string, version = 1, comment = '') =>
  (await review(scene, 'review_answer($1, $2, $3, $4)', [id, version, given, comment]))['outcome'];

const SEND = ['public.desk_review_send(bigint,jsonb,text)', 'private.send_post(bigint,bigint,integer)'];
const REVOKE = ['public.desk_review_revoke(bigint)', 'private.revoke_review_link(bigint)'];
const ADMIT = ['private.admit_reviewer()', 'private.review_key_hash()', 'public.review_open()'];
const ANSWER = [
  'public.review_answer(bigint,integer,text,text)',
  'private.reviewed_post(bigint,bigint)',
  'private.append_answer(public.posts,text,text)',
];
const WITHDRAW = ['public.review_withdraw(bigint,text)', ...ANSWER.slice(1)];

const SENDING_RULES: readonly Rule[] = [
  {
    name: 'Reviews: sending puts drafts into review under a new link, and the one before counts no more',
    about: [...SEND, ...REVOKE],
    check: async (scene) => {
      const [first, second] = [await addPost(scene), await addPost(scene)];
      await asDesk(scene, `desk_post_save($1, 1, 'Neu')`, [second]);
      await addPost(scene, foreignId(scene));
      await send(scene, [], 'f'.repeat(43), foreignId(scene));
      await send(scene, [], 'o'.repeat(43));
      await asDesk(scene, 'desk_review_revoke($1)', [boundId(scene)]);
      await must(scene, `update private.review_links set revoked_at = '2020-01-01' where revoked_at is not null`);
      const sent = await send(scene, [
        { id: second, version: 2 },
        { id: first, version: 1 },
      ]);
      assert.deepEqual(await lastLine(scene), ['review_link', boundId(scene), getAdmin(scene).id, { valid: true }]);
      const states = (sent['posts'] as Json[]).map(({ id, state, sentVersion }) => [id, state, sentVersion]);
      assert.deepEqual(states, [
        [first, 'in_review', 1],
        [second, 'in_review', 2],
        [sentPost(boundId(scene)), 'in_review', 1],
      ]);
      const admin = getAdmin(scene).id;
      const logged = `select jsonb_build_array(by, detail) as value from desk_audit_log where what = 'post_state'
        order by id`;
      assert.deepEqual(await getValues(scene, logged), [
        [admin, { post: first, version: 1, from: 'draft', to: 'in_review' }],
        [admin, { post: second, version: 2, from: 'draft', to: 'in_review' }],
      ]);
      // A link that was revoked before keeps its time.
      const before = `select extract(year from min(revoked_at))::int as value from private.review_links`;
      assert.equal(await answer(scene, before), 2020);
      const links = `select jsonb_build_array(encode(key_hash, 'hex'), created_by) as value from private.review_links
        where revoked_at is null order by id`;
      assert.deepEqual(await getValues(scene, links), [
        [hash('f'.repeat(43)), admin],
        [hash(KEY), admin],
      ]);
      const days = `select extract(day from expires_at - created_at)::int as value from private.review_links limit 1`;
      assert.equal(await answer(scene, days), 30);
    },
  },
  {
    name: 'Reviews: what is sent has a text, alternative texts and the version that was looked at',
    about: SEND,
    check: async (scene) => {
      const first = 'select id::int as value from media_uploads where interview_id = $1';
      const upload = await answer(scene, first, [boundId(scene)]);
      const add = async (body: string, alt: string, used: boolean): Promise<unknown> =>
        (
          await asDesk(scene, `desk_post_add($1, 'linkedin', $2, $3)`, [
            boundId(scene),
            body,
            JSON.stringify([{ upload, alt, used }]),
          ])
        )['id'];
      const empty = await add(' \n', 'Bild', true);
      await refusedSend(scene, '22023', [{ id: empty, version: 1 }]);
      await asDesk(scene, `desk_post_save($1, 1, 'Text')`, [empty]);
      await send(scene, [{ id: empty, version: 2 }]);
      await refusedDesk(scene, 'PT404', `desk_review_send(999999, '[]', $1)`, [hash(KEY)]);
      await refusedDesk(scene, 'PT404', 'desk_review_revoke(999999)');
      await refusedSend(scene, '22023', [{ id: await add('Text', ' ', true), version: 1 }]);
      await refusedSend(scene, '22023', [{ id: await addPost(scene, foreignId(scene)), version: 1 }]);
      const unused = await add('Text', '', false);
      await refusedSend(scene, 'PT409', [{ id: unused, version: 2 }]);
      await refusedSend(scene, '22023', [{ id: unused, version: 1 }], 'zz');
      await refusedSend(scene, '22023', [{ id: unused, version: 1 }], null);
      await send(scene, [{ id: unused, version: 1 }]);
      // In review already.
      await putInto(scene, Number(unused), 'approved');
      await refusedSend(scene, '22023', [{ id: unused, version: 1 }]);
    },
  },
  {
    name: 'Reviews: no link without a post that was sent',
    about: SEND,
    check: async (scene) => {
      await must(scene, 'delete from posts where interview_id = $1', [boundId(scene)]);
      await addPost(scene);
      await refusedSend(scene, '22023', []);
    },
  },
];

const OPENING_RULES: readonly Rule[] = [
  {
    name: 'Reviews: a key opens its contribution; unknown, expired, revoked and erased look alike',
    about: [...ADMIT, ...REVOKE],
    check: async (scene) => {
      await send(scene, [], 'o'.repeat(43));
      await sendPost(scene);
      await send(scene, [], 'f'.repeat(43), foreignId(scene));
      const opened = () =>
        getValues(scene, 'select first_opened_at is not null as value from private.review_links order by id');
      await review(scene, 'review_open()');
      assert.deepEqual(await opened(), [false, true, false]);
      await must(
        scene,
        `update private.review_links set first_opened_at = '2020-01-01' where first_opened_at is not null`,
      );
      const { posts } = await review(scene, 'review_open()');
      assert.equal((posts as Json[]).length, 2);
      const first = `select extract(year from min(first_opened_at))::int as value from private.review_links`;
      assert.equal(await answer(scene, first), 2020);
      const refused: unknown[] = [];
      const refuse = async (key: string): Promise<void> => {
        refused.push(await attempt(scene.database, bearer(key), 'select review_open()'));
      };
      await refuse('u'.repeat(43));
      // A key that cannot hold 256 bits opens nothing, even where its hash is stored.
      await must(scene, `update private.review_links set key_hash = sha256('short') where key_hash = sha256($1)`, [
        KEY,
      ]);
      await refuse('short');
      await must(scene, `update private.review_links set key_hash = sha256($1) where key_hash = sha256('short')`, [
        KEY,
      ]);
      await must(scene, `update private.review_links set expires_at = now()`);
      await refuse(KEY);
      await must(scene, `update private.review_links set expires_at = now() + interval '1 day'`);
      await asDesk(scene, 'desk_review_revoke($1)', [boundId(scene)]);
      assert.deepEqual(await lastLine(scene), ['review_link', boundId(scene), getAdmin(scene).id, { valid: false }]);
      await refuse(KEY);
      await review(scene, 'review_open()', [], 'f'.repeat(43));
      await must(scene, 'delete from interviews where id = $1', [foreignId(scene)]);
      await refuse('f'.repeat(43));
      assert.deepEqual(new Set(refused.map((outcome) => JSON.stringify(outcome))).size, 1);
      assert.deepEqual(refused[0], { kind: 'refused', code: 'PT404', message: 'no such review' });
      await refusedReview(scene, 'PT404', `review_answer(1, 1, 'approve')`);
      await refusedReview(scene, 'PT404', 'review_withdraw(1)');
    },
  },
  {
    name: 'Reviews: a reader who waited for the contribution sees that the link was revoked meanwhile',
    about: ADMIT,
    watches: 'these',
    check: async (scene) => {
      // Committed, so that the other connection sees it, and gone in the end.
      await scene.elsewhere(async (other) => {
        await other.query(`insert into private.review_links (interview_id, key_hash) values ($1, sha256($2))`, [
          boundId(scene),
          Buffer.from(KEY),
        ]);
        try {
          await other.query('begin');
          await other.query('select from private.desk_items where interview_id = $1 for update', [boundId(scene)]);
          // Leaves no row to the other connection that it would wait for.
          const open = () => probe(scene.database, bearer(KEY), 'select review_open()');
          const revoke = 'update private.review_links set revoked_at = now()';
          assert.equal((await commitMeanwhile(scene, other, open, revoke)).kind, 'refused');
        } finally {
          await other.query('rollback');
          await other.query('delete from private.review_links');
        }
      });
    },
  },
  {
    name: 'Reviews: the contributor sees the text that was sent, its pictures and the own words',
    about: ['private.review(bigint)', 'public.review_open()'],
    check: async (scene) => {
      const id = boundId(scene);
      await must(
        scene,
        `update interviews set transcript = 'Du: Ja', w_questions_answers = '{"who": "wir"}', contact_first_name = 'Ada'
          where id = $1`,
        [id],
      );
      const uploads = await getValues(
        scene,
        `insert into media_uploads (interview_id, file_path, file_type)
          select $1, $1::bigint || '/' || name, 'image/png' from unnest(array['b.png', 'c.png', 'd.png']) as name
          returning id::int as value`,
        [id],
      );
      const pictures = uploads.map((upload, at) => ({ upload, alt: `Bild ${at}`, used: at !== 1 })).toReversed();
      const made = await asDesk(scene, `desk_post_add($1, 'linkedin', 'Text', $2)`, [id, JSON.stringify(pictures)]);
      await addPost(scene);
      await send(scene, [{ id: made['id'], version: 1 }]);
      await getOutcome(scene, Number(made['id']), 'approve');
      await getOutcome(scene, Number(made['id']), 'change', 1, 'Kürzer');
      await asDesk(scene, `desk_post_save($1, 1, 'Entwurf')`, [made['id']]);
      const { posts, ...rest } = await review(scene, 'review_open()');
      assert.deepEqual(rest, { firstName: 'Ada', sources: { transcript: 'Du: Ja', answers: { who: 'wir' } } });
      const [shown, fixture, ...more] = posts as Json[];
      assert.deepEqual([more, fixture?.['id']], [[], sentPost(id)]);
      assert.deepEqual((fixture?.['answer'] as Json | undefined)?.['answer'], 'approve');
      const { answer: given, ...post } = shown ?? {};
      assert.deepEqual(post, {
        id: made['id'],
        channel: 'linkedin',
        state: 'draft',
        version: 1,
        body: 'Text',
        pictures: [
          { path: `${id}/d.png`, type: 'image/png', alt: 'Bild 2' },
          { path: `${id}/b.png`, type: 'image/png', alt: 'Bild 0' },
        ],
        publishedUrl: null,
        publishedAt: null,
        withdrawnAt: null,
      });
      assert.deepEqual([(given as Json)['answer'], (given as Json)['comment']], ['change', 'Kürzer']);
    },
  },
];

const ANSWERING_RULES: readonly Rule[] = [
  {
    name: 'Reviews: an answer moves the post, may be changed, and counts once however often it is sent',
    about: ANSWER,
    check: async (scene) => {
      const [other, id] = [await addPost(scene), await sendPost(scene)];
      for (const [given, comment, state] of [
        ['approve', '', 'approved'],
        ['change', 'Kürzer', 'changes_requested'],
        ['change', 'Kürzer', 'changes_requested'],
        ['change', 'Noch kürzer', 'changes_requested'],
        ['decline', '', 'declined'],
        ['approve', '', 'approved'],
      ] as const) {
        assert.equal(await getOutcome(scene, id, given, 1, comment), 'recorded');
        assert.equal(await getState(scene, id), state);
      }
      assert.deepEqual(await lastLine(scene), [
        'post_state',
        boundId(scene),
        null,
        { post: id, version: 1, from: 'declined', to: 'approved' },
      ]);
      assert.deepEqual(await getAnswers(scene, id), [
        [1, 'approve', ''],
        [1, 'change', 'Kürzer'],
        [1, 'change', 'Noch kürzer'],
        [1, 'decline', ''],
        [1, 'approve', ''],
      ]);
      assert.equal(await getState(scene, other), 'draft');
      assert.deepEqual(await getAnswers(scene, other), []);
    },
  },
  {
    name: 'Reviews: an answer needs one of three words, and a request for a change says which',
    about: ANSWER,
    check: async (scene) => {
      const id = await sendPost(scene);
      for (const given of ['perhaps', 'withdraw', null])
        await refusedReview(scene, '22023', 'review_answer($1, 1, $2)', [id, given]);
      await refusedReview(scene, '23514', `review_answer($1, 1, 'change', ' ')`, [id]);
      assert.equal(await getState(scene, id), 'in_review');
    },
  },
  {
    name: 'Reviews: an answer to an older text is told so, with the text of now',
    about: ANSWER,
    check: async (scene) => {
      const id = await sendPost(scene);
      assert.equal(await getOutcome(scene, id, 'decline'), 'recorded');
      await asDesk(scene, `desk_post_save($1, 1, 'Neu')`, [id]);
      // The team works on it.
      assert.equal(await getOutcome(scene, id, 'approve'), 'outdated');
      assert.equal(await getOutcome(scene, id, 'approve', 2), 'outdated');
      await send(scene, [{ id, version: 2 }]);
      const told = await review(scene, `review_answer($1, 1, 'approve')`, [id]);
      const { posts } = told['review'] as Json;
      const shown = (posts as Json[]).find((post) => post['id'] === id);
      assert.deepEqual([told['outcome'], shown?.['body'], shown?.['answer']], ['outdated', 'Neu', null]);
      assert.deepEqual(await getAnswers(scene, id), [[1, 'decline', '']]);
      assert.equal(await getOutcome(scene, id, 'approve', 2), 'recorded');
    },
  },
  {
    name: 'Reviews: what is published or stopped by the team takes no answer',
    about: ANSWER,
    check: async (scene) => {
      const id = await sendPost(scene);
      await getOutcome(scene, id, 'decline');
      await asDesk(scene, `desk_post_save($1, 1, 'Neu')`, [id]);
      await send(scene, [{ id, version: 2 }]);
      // Declined by the contributor before, but this text by the team.
      await asDesk(scene, `desk_post_move($1, 2, 'declined')`, [id]);
      assert.equal(await getOutcome(scene, id, 'approve', 2), 'closed');
      await putInto(scene, id, 'published');
      assert.equal(await getOutcome(scene, id, 'approve', 2), 'closed');
      assert.equal(await getOutcome(scene, id, 'approve', 1), 'closed');
      assert.equal(await getState(scene, id), 'published');
    },
  },
  {
    name: 'Reviews: an answer that a stop has overtaken is not shown, until the team works on the post again',
    about: [
      'private.review(bigint)',
      'public.desk_post_move(bigint,integer,text,text,timestamp with time zone)',
      ...ANSWER,
    ],
    check: async (scene) => {
      const id = await sendPost(scene);
      const show = async (): Promise<unknown> => {
        const { posts } = await review(scene, 'review_open()');
        const { state, answer: given } = (posts as Json[]).find((post) => post['id'] === id) ?? {};
        return [state, (given as Json | null)?.['answer']];
      };
      await getOutcome(scene, id, 'decline');
      assert.deepEqual(await show(), ['declined', 'decline']);
      for (const state of ['draft', 'declined']) await asDesk(scene, `desk_post_move($1, 1, '${state}')`, [id]);
      assert.deepEqual(await show(), ['declined', undefined]);
      assert.equal(await getOutcome(scene, id, 'approve'), 'closed');
      await asDesk(scene, `desk_post_save($1, 1, 'Neu')`, [id]);
      assert.deepEqual(await show(), ['draft', 'decline']);
      assert.equal(await getOutcome(scene, id, 'approve'), 'outdated');
    },
  },
  {
    name: 'Reviews: the same answer or withdrawal counts once, whatever was said about another post meanwhile',
    about: [...ANSWER, ...WITHDRAW],
    check: async (scene) => {
      const [one, other] = [await addPost(scene), await addPost(scene)];
      await send(
        scene,
        [one, other].map((id) => ({ id, version: 1 })),
      );
      const twiceInTurn = async (say: (id: number, words: string) => Promise<unknown>): Promise<void> => {
        await say(one, 'Ja');
        await say(other, 'Nein');
        await say(one, 'Ja');
      };
      await twiceInTurn((id, words) => getOutcome(scene, id, 'approve', 1, words));
      for (const id of [one, other]) await asDesk(scene, `desk_post_move($1, 1, 'published')`, [id]);
      await twiceInTurn((id, words) => review(scene, 'review_withdraw($1, $2)', [id, words]));
      assert.deepEqual(await getAnswers(scene, one), [
        [1, 'approve', 'Ja'],
        [1, 'withdraw', 'Ja'],
      ]);
    },
  },
  {
    name: 'Reviews: a key answers for its own contribution, and for what was sent',
    about: [...ANSWER, ...WITHDRAW],
    check: async (scene) => {
      await sendPost(scene);
      for (const id of [sentPost(foreignId(scene)), await addPost(scene), 999_999]) {
        await refusedReview(scene, 'PT404', `review_answer($1, 1, 'approve')`, [id]);
        await refusedReview(scene, 'PT404', 'review_withdraw($1)', [id]);
      }
    },
  },
  {
    name: 'Reviews: answers are appended and never changed, two hundred of a post',
    about: ['on_answer_change', 'private.on_answer_change()', 'public.review_answers', ...ANSWER],
    check: async (scene) => {
      const id = await sendPost(scene);
      const many = `insert into review_answers (post_id, version, answer)
        select $1, 1, 'approve' from generate_series(1, $2)`;
      await must(scene, many, [sentPost(boundId(scene)), 200]);
      await must(scene, many, [id, 199]);
      await getOutcome(scene, id, 'decline');
      await refusedReview(scene, 'PGRST', `review_answer($1, 1, 'approve')`, [id]);
      await mustBeRefused(scene.owner(`update review_answers set comment = 'x' where post_id = $1`, [id]));
    },
  },
  {
    name: 'Reviews: further words about a request or a withdrawal mail the team again, and the same words do not (0263)',
    about: [...ANSWER, ...WITHDRAW],
    check: async (scene) => {
      await must(scene, `select desk_mail_configure('{team@beispiel.test}')`);
      const id = await sendPost(scene);
      const tell = async (sql: string, params: readonly unknown[]): Promise<unknown> => {
        await must(scene, `update private.desk_mails set state = 'sent'`);
        await review(scene, sql, params);
        const told = `select count(*)::int as value from private.desk_mails where mail = 'review_answer' and state = 'waiting'`;
        return answer(scene, told);
      };
      const ask = (given: string, words: string) => tell('review_answer($1, 1, $2, $3)', [id, given, words]);
      const withdraw = (words: string) => tell('review_withdraw($1, $2)', [id, words]);
      assert.deepEqual(
        [await ask('change', 'Halle 3'), await ask('change', 'Halle 3'), await ask('change', 'Ohne Namen')],
        [1, 0, 1],
      );
      assert.equal(await ask('approve', ''), 0);
      assert.deepEqual([await ask('decline', 'Nein'), await ask('decline', 'Gar nicht')], [1, 0]);
      await ask('approve', '');
      assert.equal(await ask('approve', 'Gern'), 0);
      await putInto(scene, id, 'published');
      await must(scene, 'update posts set withdrawn_at = null');
      assert.deepEqual([await withdraw('Bitte'), await withdraw('Bitte'), await withdraw('Eilt')], [1, 0, 1]);
    },
  },
  {
    name: 'Reviews: a published post is withdrawn once and stays until the team takes it down',
    about: WITHDRAW,
    check: async (scene) => {
      const id = await sendPost(scene);
      const withdraw = async () => (await review(scene, `review_withdraw($1, 'Bitte')`, [id]))['outcome'];
      assert.equal(await withdraw(), 'closed');
      await getOutcome(scene, id, 'approve');
      await asDesk(scene, `desk_post_move($1, 1, 'published')`, [id]);
      assert.equal(await withdraw(), 'recorded');
      assert.deepEqual(await lastLine(scene), ['post', boundId(scene), null, { post: id, withdrawn: true }]);
      assert.equal(await withdraw(), 'recorded');
      assert.deepEqual(await getAnswers(scene, id), [
        [1, 'approve', ''],
        [1, 'withdraw', 'Bitte'],
      ]);
      const row = `select jsonb_agg(jsonb_build_array(id, state)) as value from posts where withdrawn_at is not null`;
      assert.deepEqual(await answer(scene, row), [[id, 'published']]);
    },
  },
  {
    name: 'Reviews: a login adds nothing to a key, and takes nothing away',
    about: ADMIT,
    check: async (scene) => {
      await sendPost(scene);
      const member = login(scene.fixture.nobody);
      const open = (key: string) =>
        attempt(scene.database, { ...member, headers: { 'x-review-key': key } }, 'select review_open()');
      assert.equal((await open(KEY)).kind, 'done');
      await mustBeRefused(open('u'.repeat(43)), 'PT404');
    },
  },
];

export const REVIEW_RULES: readonly Rule[] = [...SENDING_RULES, ...OPENING_RULES, ...ANSWERING_RULES];
