import { strict as assert } from 'node:assert';
import { createHash } from 'node:crypto';
import { REVIEW_KEY_HEADER } from '#contract/review.ts';
import { login, service } from '#tests/support/callers.ts';
import { addPost, asDesk } from './posts.ts';
import { getAdmin, answer, boundId, foreignId, getMember, must, getValues, type Rule, type Scene } from './rules.ts';

const FOLLOW = ['on_post_moved', 'private.on_post_moved()', 'private.state_of_posts(public.posts,text)'];
const MAIL = 'private.queue_answer_mail(bigint)';

/** A line in this state with drafts; their ids. */
async function prepare(scene: Scene, state: string, drafts: number): Promise<number[]> {
  await must(scene, `select desk_mail_configure('{Team@beispiel.test}')`);
  await must(scene, 'delete from posts');
  await must(scene, 'delete from private.desk_events');
  await must(scene, 'update private.desk_items set state = $2, assignee = null where interview_id = $1', [
    boundId(scene),
    state,
  ]);
  const ids: number[] = [];
  for (let made = 0; made < drafts; made += 1) ids.push(await addPost(scene));
  await must(scene, 'delete from private.desk_mails');
  return ids;
}

const move = (scene: Scene, id: number | undefined, state: string) =>
  must(
    scene,
    `update posts set state = $2, stopped = $2 = 'declined', sent_version = version,
      published_at = case $2 when 'published' then now() end where id = $1`,
    [id, state],
  );

const stateOf = (scene: Scene) =>
  answer(scene, 'select state as value from private.desk_items where interview_id = $1', [boundId(scene)]);

const mails = (scene: Scene) =>
  getValues(
    scene,
    `select jsonb_build_array(mail, colleague, address, state, due_at > now()) as value from private.desk_mails
      where interview_id = $1 order by id`,
    [boundId(scene)],
  );

const events = (scene: Scene) =>
  getValues(
    scene,
    `select jsonb_build_array(e.before, e.after, e.of_posts) as value from private.desk_events as e
      where e.interview_id = $1 and e.what = 'state' order by e.id`,
    [boundId(scene)],
  );

export const STATE_FOLLOWS_POSTS_RULES: readonly Rule[] = [
  {
    name: 'Posts: their contribution goes for review, back into work at a request, and for review again (0263)',
    about: [...FOLLOW, 'on_desk_state', 'private.on_desk_state()', 'private.desk_events_of(bigint)'],
    check: async (scene) => {
      const [one, two] = await prepare(scene, 'new', 2);
      const version = () =>
        answer(scene, 'select version as value from private.desk_items where interview_id = $1', [boundId(scene)]);
      const before = Number(await version());
      const seen: unknown[] = [];
      for (const [id, state] of [
        [one, 'in_review'],
        [two, 'in_review'],
        [one, 'changes_requested'],
        [two, 'approved'],
        [one, 'draft'],
        [two, 'changes_requested'],
        [two, 'approved'],
        [one, 'in_review'],
        [one, 'approved'],
      ] as const) {
        await move(scene, id, state);
        seen.push(await stateOf(scene));
      }
      // The other post's approval ends no work while one is to be changed or is a draft.
      const work = 'in_progress';
      assert.deepEqual(seen, ['for_review', 'for_review', work, work, work, work, work, 'for_review', 'for_review']);
      assert.deepEqual(await events(scene), [
        ['new', 'for_review', true],
        ['for_review', work, true],
        [work, 'for_review', true],
      ]);
      assert.equal(Number(await version()) - before, 3);
      const lines = `select jsonb_build_array(by, detail) as value from desk_audit_log where what = 'state' order by id desc limit 1`;
      assert.deepEqual(await answer(scene, lines), [null, { from: work, to: 'for_review' }]);
      // No mail goes to the contributor, who has the link.
      assert.deepEqual(
        (await mails(scene)).filter((mail) => (mail as unknown[])[0] === 'for_review'),
        [],
      );
      const shown = `select private.desk_events_of($1) -> 0 ->> 'ofPosts' as value`;
      assert.equal(await answer(scene, shown, [boundId(scene)]), 'true');
    },
  },
  {
    name: 'Posts: a contribution that the team published or rejected stays so (0263)',
    about: FOLLOW,
    check: async (scene) => {
      for (const state of ['published', 'rejected']) {
        const [id] = await prepare(scene, state, 1);
        for (const moved of ['in_review', 'changes_requested', 'approved', 'published']) await move(scene, id, moved);
        assert.equal(await stateOf(scene), state);
        assert.deepEqual(await events(scene), []);
      }
    },
  },
  {
    name: 'Posts: a request for a change mails the assignee, without one the team, and goes when it is taken back (0263)',
    about: [...FOLLOW, MAIL, 'private.desk_mail_whole(private.desk_mails)'],
    check: async (scene) => {
      const team = ['review_answer', null, 'team@beispiel.test'];
      const admin = getAdmin(scene).id;
      const [one, two] = await prepare(scene, 'in_progress', 2);
      for (const id of [one, two]) await move(scene, id, 'in_review');
      await move(scene, one, 'changes_requested');
      await move(scene, two, 'changes_requested');
      assert.deepEqual(await mails(scene), [[...team, 'waiting', false]]);
      await move(scene, one, 'approved');
      assert.equal((await mails(scene)).length, 1);
      await move(scene, two, 'approved');
      assert.deepEqual(await mails(scene), []);
      const assign = (id: string) =>
        must(scene, 'update private.desk_items set assignee = $2 where interview_id = $1', [boundId(scene), id]);
      await assign(admin);
      await move(scene, one, 'changes_requested');
      assert.deepEqual(await mails(scene), [['review_answer', admin, null, 'waiting', false]]);
      const mail = (await answer(scene, 'select desk_mail_claim() as value', [], service())) as Record<string, unknown>;
      assert.deepEqual([mail['channels'], mail['withdrawn'], mail['replyTo']], [['linkedin'], [], null]);
      // What comes while one is out waits for the pause.
      await move(scene, two, 'changes_requested');
      const out = ['review_answer', admin, null, 'claimed', true];
      assert.deepEqual(await mails(scene), [out, ['review_answer', admin, null, 'waiting', true]]);
      // One that was queued while the clock was days ahead is no reason to wait (0384).
      for (const [ahead, waits] of [
        ['30 minutes', true],
        ['30 days', false],
      ]) {
        await must(scene, `delete from private.desk_mails where state = 'waiting'`);
        await must(scene, 'update private.desk_mails set created_at = now() + $1::interval', [ahead]);
        await move(scene, two, 'approved');
        await move(scene, two, 'changes_requested');
        assert.deepEqual(await mails(scene), [out, ['review_answer', admin, null, 'waiting', waits]]);
      }
      await must(scene, 'delete from private.desk_mails');
      // An assignee who is no administrator any more has no mailbox here.
      await assign(getMember(scene, 'firma_a').id);
      await move(scene, one, 'approved');
      await move(scene, one, 'changes_requested');
      assert.deepEqual(await mails(scene), [[...team, 'waiting', false]]);
      await must(scene, `select desk_mail_configure('{}')`);
      await move(scene, one, 'approved');
      await must(scene, 'delete from private.desk_mails');
      await move(scene, one, 'changes_requested');
      assert.deepEqual(await mails(scene), [['review_answer', admin, null, 'waiting', false]]);
      await must(scene, `delete from private.settings where name = 'desk_mail'`);
      await must(scene, 'delete from private.desk_mails');
      await move(scene, one, 'approved');
      await move(scene, one, 'changes_requested');
      assert.deepEqual(await mails(scene), []);
    },
  },
  {
    name: 'Posts: a withdrawal mails the team until the post is taken down (0263)',
    about: [...FOLLOW, MAIL, 'private.desk_mail_whole(private.desk_mails)', 'private.desk_mail_end(bigint,text,text)'],
    check: async (scene) => {
      const [id] = await prepare(scene, 'published', 1);
      for (const state of ['in_review', 'approved', 'published']) await move(scene, id, state);
      assert.deepEqual(await mails(scene), []);
      await must(scene, 'update posts set withdrawn_at = now() where id = $1', [id]);
      assert.equal((await mails(scene)).length, 1);
      await move(scene, id, 'declined');
      assert.deepEqual(await mails(scene), []);
      await move(scene, id, 'draft');
      for (const state of ['in_review', 'approved', 'published']) await move(scene, id, state);
      await must(scene, 'update posts set withdrawn_at = null where id = $1', [id]);
      await must(scene, 'update posts set withdrawn_at = now() where id = $1', [id]);
      const mail = (await answer(scene, 'select desk_mail_claim() as value', [], service())) as Record<string, unknown>;
      assert.deepEqual([mail['channels'], mail['withdrawn'], mail['to']], [[], ['linkedin'], 'team@beispiel.test']);
      await answer(
        scene,
        `select desk_mail_settle($1, $2, 'sent')::text as value`,
        [mail['id'], mail['claim']],
        service(),
      );
      const told = `select count(*)::int as value from private.desk_events where what = 'mail'`;
      assert.equal(await answer(scene, told), 0);
    },
  },
  {
    name: 'Posts: a no mails the team once, until it is taken back or the team takes the post up (0388)',
    about: [
      ...FOLLOW,
      MAIL,
      'private.declined_channels(private.desk_mails)',
      'private.desk_mail_end(bigint,text,text)',
    ],
    check: async (scene) => {
      const [one, two] = await prepare(scene, 'in_progress', 2);
      const foreign = await addPost(scene, foreignId(scene));
      await must(scene, `update posts set channel = 'x' where id = $1`, [two]);
      for (const id of [one, two, foreign]) await move(scene, id, 'in_review');
      const say = async (id: number | undefined, said: string, state: string) => {
        await must(scene, `insert into review_answers (post_id, version, answer, comment) values ($1, 1, $2, 'Ja')`, [
          id,
          said,
        ]);
        await must(scene, 'update posts set state = $2, stopped = false where id = $1', [id, state]);
      };
      /** The answers that the waiting mail tells of; then it is sent. */
      const told = async () => {
        const waiting = `from private.desk_mails as m where m.interview_id = $1 and m.state = 'waiting'`;
        const facts = `select private.desk_mail_whole(m) as value ${waiting}`;
        const found = (await getValues(scene, facts, [boundId(scene)])) as Record<string, unknown>[];
        // The next mail names only answers that are given after this.
        await must(scene, `update private.desk_mails set state = 'sent', created_at = now() - interval '1 hour'`);
        await must(scene, `alter table review_answers disable trigger on_answer_change`);
        await must(scene, `update review_answers set created_at = now() - interval '1 minute'`);
        return found.map(({ channels, declined }) => [channels, declined]);
      };
      await say(one, 'approve', 'approved');
      await say(foreign, 'decline', 'declined');
      assert.deepEqual(await told(), []);
      await say(one, 'decline', 'declined');
      assert.deepEqual(await told(), [[[], ['linkedin']]]);
      await say(two, 'change', 'changes_requested');
      await say(two, 'decline', 'declined');
      await say(foreign, 'approve', 'approved');
      await say(foreign, 'decline', 'declined');
      assert.deepEqual(await told(), [[[], ['x']]]);
      await say(two, 'change', 'changes_requested');
      assert.deepEqual(await told(), [[['x'], []]]);
      await say(one, 'approve', 'approved');
      await say(one, 'decline', 'declined');
      for (const state of ['draft', 'in_review']) await move(scene, two, state);
      assert.equal((await mails(scene)).filter((mail) => (mail as unknown[])[3] === 'waiting').length, 1);
      await move(scene, one, 'draft');
      assert.deepEqual(await told(), []);
      // The team knows of a stop, because it stopped the post itself.
      await move(scene, one, 'in_review');
      await say(one, 'approve', 'approved');
      await move(scene, one, 'declined');
      assert.deepEqual((await mails(scene)).map((mail) => (mail as unknown[])[3]).includes('waiting'), false);
      await say(two, 'change', 'changes_requested');
      assert.deepEqual(await told(), [[['x'], []]]);
      // A colleague who gets the mail in another's place reads the same answers.
      await say(two, 'decline', 'declined');
      await must(
        scene,
        `update private.desk_mails set colleague = $1, address = null, created_at = now() - interval '9 minutes'
        where state = 'waiting'`,
        [getMember(scene, 'firma_a').id],
      );
      await must(scene, `update review_answers set created_at = now() - interval '1 minute' where post_id = $1`, [two]);
      const mail = (await answer(scene, 'select desk_mail_claim() as value', [], service())) as Record<string, unknown>;
      assert.deepEqual([mail['to'], mail['declined']], ['team@beispiel.test', ['x']]);
    },
  },
  {
    name: 'Posts: a state names the administrator who sent, and nobody where the contributor answered (0263)',
    about: FOLLOW,
    check: async (scene) => {
      const [id] = await prepare(scene, 'new', 1);
      const key = 'w'.repeat(43);
      const hash = createHash('sha256').update(key).digest('hex');
      const posts = JSON.stringify([{ id, version: 1 }]);
      await asDesk(scene, 'desk_review_send($1, $2, $3)', [boundId(scene), posts, hash]);
      // A login beside the key says nothing about who answers.
      const reader = { ...login(getMember(scene, 'firma_b')), headers: { [REVIEW_KEY_HEADER]: key } };
      await answer(scene, `select review_answer($1, 1, 'change', 'Kürzer') as value`, [id], reader);
      const authors = (table: string) =>
        getValues(scene, `select by as value from ${table} where what = 'state' order by id`);
      const both = [getAdmin(scene).id, null];
      assert.deepEqual([await authors('private.desk_events'), await authors('desk_audit_log')], [both, both]);
    },
  },
  {
    name: 'Posts: other contributions, and a withdrawal alone, move no contribution (0263)',
    about: FOLLOW,
    check: async (scene) => {
      const [one, two] = await prepare(scene, 'in_progress', 2);
      const foreign = await addPost(scene, foreignId(scene));
      await move(scene, foreign, 'in_review');
      await move(scene, foreign, 'changes_requested');
      for (const id of [one, two]) await move(scene, id, 'in_review');
      assert.equal(await stateOf(scene), 'for_review');
      const workAgain = `update private.desk_items set state = 'in_progress' where interview_id = $1`;
      await must(scene, workAgain, [boundId(scene)]);
      await must(scene, 'update posts set withdrawn_at = now() where id = $1', [one]);
      assert.equal(await stateOf(scene), 'in_progress');
      // The other post is in review and no draft.
      await move(scene, one, 'approved');
      assert.equal(await stateOf(scene), 'for_review');
    },
  },
  {
    name: 'Posts: a request that is taken back ends its own mail alone, as long as that waits (0263)',
    about: [...FOLLOW, MAIL],
    check: async (scene) => {
      const [one, two] = await prepare(scene, 'in_progress', 2);
      const foreign = await addPost(scene, foreignId(scene));
      await must(scene, 'delete from private.desk_mails');
      for (const id of [one, two, foreign]) await move(scene, id, 'in_review');
      for (const state of ['approved', 'published']) await move(scene, two, state);
      const add = (mail: string, state: string) =>
        must(
          scene,
          `insert into private.desk_mails (key, interview_id, mail, address, state)
            values (gen_random_uuid(), $1, $2, 'team@beispiel.test', $3)`,
          [boundId(scene), mail, state],
        );
      // Another mail to the same mailbox neither stands for this one nor puts it off.
      await add('new', 'waiting');
      await move(scene, foreign, 'changes_requested');
      await move(scene, one, 'changes_requested');
      const team = 'team@beispiel.test';
      const other = ['new', null, team, 'waiting', false];
      assert.deepEqual(await mails(scene), [other, ['review_answer', null, team, 'waiting', false]]);
      await add('review_answer', 'sent');
      await move(scene, one, 'approved');
      assert.deepEqual(await mails(scene), [other, ['review_answer', null, team, 'sent', false]]);
      const kept = 'select mail as value from private.desk_mails where interview_id = $1';
      assert.deepEqual(await getValues(scene, kept, [foreignId(scene)]), ['review_answer']);
    },
  },
  {
    name: 'Posts: a mail about a request that still waits goes to whom the contribution is assigned by then (0263)',
    about: ['private.desk_mail_address(private.desk_mails)'],
    check: async (scene) => {
      const [id] = await prepare(scene, 'in_progress', 1);
      const [first, second] = [getAdmin(scene), getMember(scene, 'firma_a')];
      await must(scene, `update user_roles set role = 'admin' where user_id = $1`, [second.id]);
      const assign = (contribution: number, to: string | null) =>
        must(scene, 'update private.desk_items set assignee = $2 where interview_id = $1', [contribution, to]);
      await move(scene, id, 'in_review');
      const tell = async (to: string | null): Promise<unknown> => {
        await must(scene, 'delete from private.desk_mails');
        await assign(boundId(scene), first.id);
        await move(scene, id, 'approved');
        await move(scene, id, 'changes_requested');
        await assign(boundId(scene), to);
        const mail = await answer(scene, 'select desk_mail_claim() as value', [], service());
        return (mail as Record<string, unknown> | null)?.['to'];
      };
      await assign(foreignId(scene), second.id);
      assert.deepEqual(
        [await tell(first.id), await tell(second.id), await tell(null)],
        [first.email, second.email, first.email],
      );
      await must(scene, `update auth.users set banned_until = now() + interval '1 hour' where id = $1`, [second.id]);
      assert.equal(await tell(second.id), first.email);
      // Other mails of the team have nothing to do with it.
      await must(scene, `update auth.users set banned_until = null where id = $1`, [second.id]);
      const other = `select private.desk_mail_address(jsonb_populate_record(null::private.desk_mails,
        jsonb_build_object('mail', 'new', 'colleague', $1::text, 'interview_id', $2::bigint))) as value`;
      assert.equal(await answer(scene, other, [first.id, boundId(scene)]), first.email);
    },
  },
  {
    name: 'Posts: a request mails the assignee of its own contribution, once in each mailbox, where mails are sent (0263)',
    about: [MAIL, 'private.add_answer_mail(bigint)'],
    check: async (scene) => {
      await prepare(scene, 'in_progress', 0);
      const [admin, colleague] = [getAdmin(scene).id, getMember(scene, 'firma_a').id];
      await must(scene, `update user_roles set role = 'admin' where user_id = $1`, [colleague]);
      const assign = (contribution: number, to: string | null) =>
        must(scene, 'update private.desk_items set assignee = $2 where interview_id = $1', [contribution, to]);
      await assign(foreignId(scene), admin);
      const request = async () => {
        await must(scene, 'select private.queue_answer_mail($1)', [boundId(scene)]);
        return (await mails(scene)).map((mail) => (mail as unknown[])[1] ?? (mail as unknown[])[2]);
      };
      assert.deepEqual(await request(), ['team@beispiel.test']);
      await assign(boundId(scene), colleague);
      // What waits for the team is in another mailbox.
      assert.deepEqual(await request(), ['team@beispiel.test', colleague]);
      await must(scene, 'delete from private.desk_mails');
      await must(scene, `select desk_mail_configure('{}')`);
      assert.deepEqual(await request(), [colleague]);
      // A locked assignee counts as none, and is none of the team.
      await must(scene, 'delete from private.desk_mails');
      await must(scene, `update auth.users set banned_until = now() + interval '1 hour' where id = $1`, [colleague]);
      assert.deepEqual(await request(), [admin]);
      await must(scene, `update auth.users set banned_until = null where id = $1`, [colleague]);
      await must(scene, 'delete from private.desk_mails');
      await must(scene, `delete from private.settings where name = 'desk_mail'`);
      assert.deepEqual(await request(), []);
    },
  },
];
