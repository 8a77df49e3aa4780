import { strict as assert } from 'node:assert';
import { randomBytes } from 'node:crypto';
import { undo } from './commit-meanwhile.ts';
import { addPost, asDesk } from './posts.ts';
import { ask, KEY, links, mails, prepare, request, REQUEST } from './review-mails.ts';
import { answer, boundId, foreignId, getAdmin, getMember, getValues, must, type Rule, type Scene } from './rules.ts';

/* What happens to a mail that waits, also with a server that is trying to send it, while what it is about changes. */

type Json = Readonly<Record<string, unknown>>;

const HASH = 'f'.repeat(64);

/** The mail that the next server takes. */
const take = (scene: Scene) => ask(scene, 'desk_mail_claim()') as Promise<Json | null>;

const makeKey = (scene: Scene, mail: Json | null, hash = randomBytes(32).toString('hex')) =>
  ask(scene, 'review_mail_key($1, $2, $3)', [mail?.['id'], mail?.['claim'], hash]);

const begin = (scene: Scene, mail: Json | null) =>
  ask(scene, 'desk_mail_begin($1, $2)', [mail?.['id'], mail?.['claim']]);

const settle = (scene: Scene, mail: Json | null, outcome: string) =>
  must(scene, 'select desk_mail_settle($1, $2, $3)', [mail?.['id'], mail?.['claim'], outcome]);

/** Of the prepared contribution. */
const list = (scene: Scene) =>
  getValues(
    scene,
    'select jsonb_build_array(mail, state) as value from private.desk_mails where interview_id = $1 order by id',
    [boundId(scene)],
  );

const move = (scene: Scene, id: number, state: string) =>
  must(scene, `update posts set state = $2, stopped = $2 = 'declined', sent_version = version where id = $1`, [
    id,
    state,
  ]);

/** A post that waits for its answer for four days, and the reminder, which waits for the mail server. */
async function remind(scene: Scene): Promise<number> {
  await prepare(scene);
  await must(scene, 'delete from posts');
  const id = await addPost(scene);
  await request(scene, [id]);
  await must(scene, `update private.desk_mails set state = 'sent', created_at = now() - interval '4 days'`);
  await must(scene, `select review_remind('{3}')`);
  return id;
}

const AFTER = ['on_post_moved', 'private.on_post_moved()'];

export const OVERTAKEN_MAIL_RULES: readonly Rule[] = [
  {
    name: 'Overtaken mails: what two of the team send at once goes with one mail, and its link goes on (posts)',
    about: REQUEST,
    check: async (scene) => {
      await prepare(scene);
      const [one, other] = [await addPost(scene), await addPost(scene)];
      await request(scene, [one]);
      const mail = await take(scene);
      assert.equal(await makeKey(scene, mail), true);
      assert.equal(await begin(scene, mail), true);
      await settle(scene, mail, 'sent');
      const seen = `select jsonb_build_array(id, changed_at) as value from posts where id = ${one}`;
      const before = await answer(scene, seen);
      const { posts } = await request(scene, [one]);
      assert.deepEqual(
        (posts as Json[]).filter(({ id }) => id === one).map(({ state }) => state),
        ['in_review'],
      );
      assert.equal((await mails(scene)).length, 1);
      assert.deepEqual(await answer(scene, seen), before);
      // What the colleague has not sent goes, and so does a link that is asked for again.
      await request(scene, [one, other]);
      assert.equal((await mails(scene)).length, 2);
      await must(scene, `update private.desk_mails set state = 'sent'`);
      await request(scene, []);
      assert.equal((await mails(scene)).length, 3);
    },
  },
  {
    name: 'Overtaken mails: a reminder that waited is not sent beside a mail that was asked for since (0243)',
    about: KEY,
    check: async (scene) => {
      for (const first of ['review_reminder', 'review']) {
        await remind(scene);
        await request(scene, []);
        await must(scene, `update private.desk_mails set due_at = now() - interval '1 hour' where mail = $1`, [first]);
        if (first === 'review_reminder') {
          const reminder = await take(scene);
          assert.equal(reminder?.['mail'], first);
          assert.equal(await makeKey(scene, reminder), false);
          assert.deepEqual(await links(scene), []);
        }
        const mail = await take(scene);
        assert.equal(mail?.['mail'], 'review');
        assert.equal(await makeKey(scene, mail, HASH), true);
        assert.deepEqual(await list(scene), [
          ['review', 'sent'],
          ['review', 'claimed'],
        ]);
        assert.deepEqual(await links(scene), [[boundId(scene), HASH, true]]);
      }
    },
  },
  {
    name: 'Overtaken mails: of several that waited with a link the last one alone brings one (0243)',
    about: KEY,
    check: async (scene) => {
      await prepare(scene);
      await must(scene, 'delete from posts');
      const others = `insert into private.desk_mails (key, interview_id, mail, state, due_at) values
        ('foreign ' || $3, $1, 'review', 'waiting', now() + interval '1 hour'),
        ('receipt ' || $3, $2, 'receipt', 'waiting', now() + interval '1 hour')`;
      await must(scene, others, [foreignId(scene), boundId(scene), 'before']);
      await request(scene, [await addPost(scene)]);
      const first = await take(scene);
      assert.equal(await makeKey(scene, first), true);
      // The mail server is away.
      await request(scene, [await addPost(scene)]);
      await must(scene, others, [foreignId(scene), boundId(scene), 'after']);
      await settle(scene, first, 'later');
      await must(
        scene,
        `update private.desk_mails set due_at = now() where mail = 'review' and interview_id = ${boundId(scene)}`,
      );
      const [again, second] = [await take(scene), await take(scene)];
      assert.equal(again?.['id'], first?.['id']);
      // A later mail that was refused, has no recipient or is sent already does not stop this one.
      for (const state of ['refused', 'no_address', 'sent']) {
        await must(scene, 'update private.desk_mails set state = $1 where id = $2', [state, second?.['id']]);
        assert.equal(await makeKey(scene, again), true);
      }
      await must(scene, `update private.desk_mails set state = 'claimed' where id = $1`, [second?.['id']]);
      await undo(scene, async () => {
        assert.equal(await makeKey(scene, again), false);
        assert.deepEqual(await list(scene), [
          ['receipt', 'waiting'],
          ['review', 'claimed'],
          ['receipt', 'waiting'],
        ]);
      });
      await must(scene, `update private.desk_mails set state = 'sending' where id = $1`, [second?.['id']]);
      await undo(scene, async () => assert.equal(await makeKey(scene, again), false));
      await must(scene, `update private.desk_mails set state = 'claimed' where id = $1`, [second?.['id']]);
      assert.equal(await makeKey(scene, second), true);
      // A new request sends another mail.
      assert.equal(await begin(scene, again), false);
      await must(scene, `update private.desk_mails set state = 'sent' where id = $1`, [second?.['id']]);
      await request(scene, []);
      assert.deepEqual(await list(scene), [
        ['receipt', 'waiting'],
        ['review', 'sent'],
        ['receipt', 'waiting'],
        ['review', 'waiting'],
      ]);
      assert.equal(
        await answer(scene, `select count(*)::int as value from private.desk_mails where key like 'foreign %'`),
        2,
      );
    },
  },
  {
    name: 'Overtaken mails: where nothing is in review, a link asked for again is mailed, and no reminder (posts)',
    about: KEY,
    check: async (scene) => {
      const inReview = await remind(scene);
      await addPost(scene);
      const reminder = await take(scene);
      assert.equal(reminder?.['mail'], 'review_reminder');
      await must(scene, 'delete from posts where id = $1', [inReview]);
      await undo(scene, async () => assert.equal(await makeKey(scene, reminder), false));
      await must(scene, `update private.desk_mails set mail = 'review' where id = $1`, [reminder?.['id']]);
      assert.equal(await makeKey(scene, reminder), true);
    },
  },
  {
    name: 'Overtaken mails: what takes the place of a mail to the former team is as old as it, no other is (desk)',
    about: ['public.desk_mail_configure(text[])'],
    check: async (scene) => {
      await prepare(scene);
      const made = `insert into private.desk_mails (key, interview_id, mail, state, address, colleague, created_at)
        select key, case key when 'foreign' then $1::bigint else $2 end, case key when 'mail' then 'published'
            else 'review_answer' end,
          case key when 'sent' then 'sent' else 'waiting' end, case key when 'gone' then 'geht@haus.test' end,
          case when key <> 'gone' then $3::uuid end, now() - minutes * interval '1 minute'
        from (values ('gone', 9), ('foreign', 1), ('mail', 2), ('sent', 3), ('older', 60)) as m (key, minutes)`;
      await must(scene, made, [foreignId(scene), boundId(scene), getAdmin(scene).id]);
      await must(scene, `select desk_mail_configure('{neu@haus.test}')`);
      const minutes = `select jsonb_build_array(coalesce(address, key), extract(minute from now() - created_at)
        + 60 * extract(hour from now() - created_at)) as value from private.desk_mails order by created_at`;
      assert.deepEqual(await getValues(scene, minutes), [
        ['older', 60],
        ['neu@haus.test', 9],
        ['sent', 3],
        ['mail', 2],
        ['foreign', 1],
      ]);
    },
  },
  {
    name: 'Overtaken mails: the team reads of no request that was dealt with while a server tried to send (0263)',
    about: AFTER,
    check: async (scene) => {
      await prepare(scene);
      await must(scene, 'delete from posts');
      await must(scene, 'update private.desk_items set assignee = null');
      const id = await addPost(scene);
      for (const state of ['in_review', 'changes_requested']) await move(scene, id, state);
      const mail = await take(scene);
      assert.equal(mail?.['mail'], 'review_answer');
      await move(scene, id, 'draft');
      assert.equal(await begin(scene, mail), false);
      assert.deepEqual(await list(scene), []);
      for (const state of ['in_review', 'changes_requested']) await move(scene, id, state);
      assert.equal(await begin(scene, await take(scene)), true);
      // It may have arrived.
      await move(scene, id, 'draft');
      assert.deepEqual(await list(scene), [['review_answer', 'sending']]);
    },
  },
  {
    name: 'Overtaken mails: nobody is asked for what the team took back while a server tried to send (posts)',
    about: AFTER,
    check: async (scene) => {
      const id = await remind(scene);
      await move(scene, await addPost(scene, foreignId(scene)), 'in_review');
      const reminder = await take(scene);
      assert.equal(await makeKey(scene, reminder), true);
      await must(scene, `insert into private.desk_mails (key, interview_id, mail) values ('other', $1, $2)`, [
        foreignId(scene),
        'review_reminder',
      ]);
      const other = await addPost(scene);
      for (const state of ['in_review', 'approved']) await move(scene, other, state);
      assert.equal((await list(scene)).length, 2);
      await move(scene, id, 'draft');
      assert.equal(await begin(scene, reminder), false);
      assert.equal(await answer(scene, `select count(*)::int as value from private.desk_mails where key = 'other'`), 1);
      await must(scene, 'delete from private.desk_mails');
      await move(scene, other, 'draft');
      await request(scene, [id]);
      const mail = await take(scene);
      assert.equal(await makeKey(scene, mail), true);
      await move(scene, id, 'draft');
      assert.equal(await begin(scene, mail), false);
      assert.deepEqual(await list(scene), []);
    },
  },
  {
    name: 'Overtaken mails: none begins to whoever lost the role, was locked or gave the work away since (desk)',
    about: ['public.desk_mail_begin(bigint,uuid)'],
    check: async (scene) => {
      await prepare(scene);
      const [first, second] = [getAdmin(scene), getMember(scene, 'firma_a')];
      await must(scene, `update user_roles set role = 'admin' where user_id = $1`, [second.id]);
      const queued = async (mail: string): Promise<Json | null> => {
        await must(scene, 'delete from private.desk_mails');
        await must(
          scene,
          `insert into private.desk_mails (key, interview_id, mail, colleague) values ('colleague', $1, $2, $3)`,
          [boundId(scene), mail, second.id],
        );
        return take(scene);
      };
      const assign = (to: string) => must(scene, 'update private.desk_items set assignee = $1', [to]);
      await assign(second.id);
      assert.equal(await begin(scene, await queued('new')), true);
      let mail = await queued('new');
      await must(scene, `update auth.users set banned_until = now() + interval '1 hour' where id = $1`, [second.id]);
      assert.equal(await begin(scene, mail), false);
      await must(scene, 'update auth.users set banned_until = null where id = $1', [second.id]);
      assert.equal(await begin(scene, mail), true);
      mail = await queued('review_answer');
      await assign(first.id);
      assert.equal(await begin(scene, mail), false);
      await assign(second.id);
      await must(scene, `update user_roles set role = 'firma_a' where user_id = $1`, [second.id]);
      assert.equal(await begin(scene, mail), false);
      assert.deepEqual(await list(scene), [['review_answer', 'claimed']]);
    },
  },
  {
    name: 'Overtaken mails: whoever the operator takes out of DESK_MAIL_TO gets none that waits; who comes does (desk)',
    about: ['public.desk_mail_configure(text[])', 'private.add_new_mails(bigint)', 'private.on_desk_finished()'],
    check: async (scene) => {
      await prepare(scene);
      await must(scene, 'delete from posts');
      const configure = (team: string) => must(scene, 'select desk_mail_configure($1)', [team]);
      await configure('{Geht@haus.test,bleibt@haus.test}');
      const lines = [boundId(scene), foreignId(scene)];
      await must(scene, 'update private.desk_items set finished = false, assignee = null');
      await must(scene, 'delete from private.desk_mails');
      await must(scene, 'update private.desk_items set finished = true where interview_id = any ($1)', [lines]);
      const id = await addPost(scene);
      await move(scene, id, 'in_review');
      await must(scene, `insert into review_answers (post_id, version, answer) values ($1, 1, 'decline')`, [id]);
      await must(scene, `update posts set state = 'declined' where id = $1`, [id]);
      await must(
        scene,
        `insert into private.desk_mails (key, interview_id, mail, colleague, address) values
          ('admin', $1, 'new', $2, null), ('other', $1, 'published', null, 'geht@haus.test')`,
        [boundId(scene), getAdmin(scene).id],
      );
      await must(scene, `update private.desk_mails set created_at = now() - interval '9 minutes' where mail <> 'new'`);
      // An answer is younger than the mail about it and older than the one that takes its place.
      const mailsTo = (contribution: number) =>
        getValues(
          scene,
          `select jsonb_build_array(mail, coalesce(address, 'colleague'), state, private.declined_channels(m) <> '[]')
            as value from private.desk_mails as m where interview_id = $1 order by mail, address, id`,
          [contribution],
        );
      await must(scene, `alter table review_answers disable trigger on_answer_change`);
      await must(scene, `update review_answers set created_at = now() - interval '5 minutes'`);
      await must(
        scene,
        `update private.desk_mails set state = case interview_id when $1 then 'sent' else 'claimed' end
          where mail = 'new' and address = 'bleibt@haus.test'`,
        [boundId(scene)],
      );
      await must(
        scene,
        `update private.desk_mails set state = case interview_id when $1 then 'claimed' else 'sending' end
          where mail = 'new' and address = 'geht@haus.test'`,
        [boundId(scene)],
      );
      await configure('{Bleibt@haus.test,Neu@haus.test}');
      const expected = [
        ['new', 'bleibt@haus.test', 'sent', true],
        ['new', 'neu@haus.test', 'waiting', false],
        ['new', 'colleague', 'waiting', false],
        ['published', 'geht@haus.test', 'waiting', true],
        ['review_answer', 'bleibt@haus.test', 'waiting', true],
        ['review_answer', 'neu@haus.test', 'waiting', true],
      ];
      const shown = (rows: readonly unknown[]) => rows.map((row) => (row as unknown[]).slice(0, 3));
      assert.deepEqual(shown(await mailsTo(boundId(scene))), shown(expected));
      const told = (await mailsTo(boundId(scene))).filter((row) => (row as unknown[])[0] === 'review_answer');
      assert.deepEqual(told, expected.slice(4));
      // It may have arrived.
      assert.deepEqual(shown(await mailsTo(foreignId(scene))), [
        ['new', 'bleibt@haus.test', 'claimed'],
        ['new', 'geht@haus.test', 'sending'],
      ]);
      const before = await getValues(scene, 'select to_jsonb(m) as value from private.desk_mails as m order by id');
      await configure('{neu@haus.test,bleibt@haus.test}');
      const after = await getValues(scene, 'select to_jsonb(m) as value from private.desk_mails as m order by id');
      assert.deepEqual(after, before);
      await configure('{}');
      assert.deepEqual(shown(await mailsTo(foreignId(scene))), [
        ['new', 'geht@haus.test', 'sending'],
        ['new', 'colleague', 'waiting'],
      ]);
    },
  },
  {
    name: 'Overtaken mails: without DESK_MAIL_TO who is administrator by then is told of what waited, once (desk)',
    about: ['private.desk_mail_end(bigint,text,text)'],
    check: async (scene) => {
      await prepare(scene);
      await must(scene, `select desk_mail_configure('{}')`);
      await must(scene, 'update private.desk_items set finished = false');
      await must(scene, 'delete from private.desk_mails');
      await must(scene, 'update private.desk_items set finished = true where interview_id = $1', [boundId(scene)]);
      await must(scene, `update private.desk_mails set created_at = now() - interval '1 hour'`);
      const [before, after] = [getAdmin(scene), getMember(scene, 'firma_a')];
      const told = () =>
        getValues(
          scene,
          `select jsonb_build_array(colleague, state, now() - created_at) as value from private.desk_mails order by id`,
        );
      for (const outcome of ['refused', 'unsure', 'sent', 'no_address']) {
        await undo(scene, async () => {
          await must(scene, `update user_roles set role = 'admin' where user_id = $1`, [after.id]);
          if (outcome === 'no_address') {
            await must(scene, `update user_roles set role = 'firma_a' where user_id = $1`, [before.id]);
            assert.equal((await take(scene))?.['to'], after.email);
          } else {
            const mail = await take(scene);
            assert.equal(await begin(scene, mail), true);
            await settle(scene, mail, outcome);
          }
          const isTold = ['sent', 'no_address'].includes(outcome);
          const state = outcome === 'sent' ? 'waiting' : 'claimed';
          assert.deepEqual(await told(), [
            [before.id, outcome, '01:00:00'],
            ...(isTold ? [[after.id, state, '01:00:00']] : []),
          ]);
        });
      }
    },
  },
  {
    name: 'Overtaken mails: nobody is asked to look at what was moved on before the mail was sent (2.11)',
    about: ['on_desk_state', 'private.on_desk_state()'],
    check: async (scene) => {
      await prepare(scene);
      await must(scene, `update private.desk_items set state = 'new', version = 1`);
      let version = 0;
      const change = (to: object, contribution = boundId(scene)) =>
        asDesk(scene, 'desk_change($1, $2, $3)', [
          contribution,
          contribution === boundId(scene) ? (version += 1) : 1,
          to,
        ]);
      await change({ state: 'for_review' }, foreignId(scene));
      await must(scene, `update private.desk_mails set due_at = now() + interval '1 hour'`);
      for (const state of ['in_progress', 'new']) {
        await change({ state: 'for_review', text: 'Passt das?' });
        const mail = await take(scene);
        await change({ state: 'for_review', text: 'Und das?' });
        assert.deepEqual(await list(scene), [
          ['for_review', 'claimed'],
          ['for_review', 'waiting'],
        ]);
        await change({ state });
        assert.equal(await begin(scene, mail), false);
        assert.deepEqual(await list(scene), []);
      }
      await change({ state: 'for_review' });
      assert.equal(await begin(scene, await take(scene)), true);
      await change({ state: 'for_review', text: 'Noch etwas' });
      await change({ state: 'published', url: 'https://beispiel.test/a' });
      assert.deepEqual(await list(scene), [
        ['for_review', 'sending'],
        ['published', 'waiting'],
      ]);
      const other = 'select mail as value from private.desk_mails where interview_id = $1';
      assert.deepEqual(await getValues(scene, other, [foreignId(scene)]), ['for_review']);
    },
  },
  {
    name: 'Overtaken mails: nobody is mailed about what is to be erased, while the erasure waits (people’s rights)',
    about: ['private.desk_mail_address(private.desk_mails)', 'private.is_being_erased(bigint)'],
    check: async (scene) => {
      await prepare(scene);
      const member = getMember(scene, 'firma_a');
      await must(scene, 'delete from private.erasures');
      await must(
        scene,
        `update interviews set created_at = '2020-01-01', completed_at = '2020-02-01', user_id = $2,
        contact_email = 'Ada@beispiel.test' where id = $1`,
        [boundId(scene), member.id],
      );
      await must(scene, `update interviews set contact_email = 'mira@beispiel.test' where id = $1`, [foreignId(scene)]);
      await must(scene, 'delete from private.desk_mails');
      for (const id of [boundId(scene), foreignId(scene)])
        await must(
          scene,
          `insert into private.desk_mails (key, interview_id, mail, address) values
            (gen_random_uuid(), $1, 'review_reminder', null), (gen_random_uuid(), $1, 'new', 'team@haus.test')`,
          [id],
        );
      const told = () =>
        getValues(scene, 'select private.desk_mail_address(m) as value from private.desk_mails as m order by id');
      const team = 'team@haus.test';
      const everybody = ['Ada@beispiel.test', team, 'mira@beispiel.test', team];
      assert.deepEqual(await told(), everybody);
      const erasing = (columns: string, values: string) =>
        must(scene, `insert into private.erasures (what, ${columns}) values (${values})`);
      const NOBODY = '00000000-0000-4000-8000-00000000000e';
      for (const [columns, values] of [
        ['contribution', `'contribution', ${boundId(scene)}`],
        ['email', `'person', 'ada@beispiel.test'`],
        ['email, account', `'person', 'frueher@beispiel.test', '${member.id}'`],
        ['before', `'retention', '2020-03-01'`],
      ] as const) {
        await erasing(columns, values);
        assert.deepEqual(await told(), [null, team, 'mira@beispiel.test', team], columns);
        await must(scene, 'delete from private.erasures');
      }
      await erasing('contribution', `'contribution', 999999`);
      await erasing('email, account', `'person', 'frueher@beispiel.test', '${NOBODY}'`);
      for (const day of ['2019-12-01', '2020-01-15']) await erasing('before', `'retention', '${day}'`);
      assert.deepEqual(await told(), everybody);
    },
  },
];
