import { strict as assert } from 'node:assert';
import { attempt, login, service } from '#tests/support/callers.ts';
import {
  getAdmin,
  answer,
  boundId,
  foreignId,
  getMember,
  must,
  mustBeRefused,
  getValues,
  type Rule,
  type Scene,
} from './rules.ts';

type Mail = Readonly<{ id: number; claim: string }>;

const NEVER = '00000000-0000-4000-8000-000000000009';

/**
 * Mails about two contributions to a mailbox each, due now; the first one first. What goes to one mailbox would be one
 * letter.
 */
async function queue(scene: Scene): Promise<readonly [number, number]> {
  await must(scene, 'delete from private.desk_mails');
  await must(scene, `select desk_mail_configure('{team@beispiel.test}')`);
  const made = await getValues(
    scene,
    `insert into private.desk_mails (key, interview_id, mail, address, due_at) values
      ('a', $1, 'new', 'team@beispiel.test', now() - interval '2 minutes'), ('b', $2, 'new', 'chefin@beispiel.test',
        now() - interval '1 minute')
      returning id as value`,
    [boundId(scene), foreignId(scene)],
  );
  return [Number(made[0]), Number(made[1])];
}

const call = (scene: Scene, sql: string, params: readonly unknown[] = []) =>
  answer(scene, `select ${sql} as value`, params, service());

async function claim(scene: Scene): Promise<Mail | null> {
  return (await call(scene, 'desk_mail_claim()')) as Mail | null;
}

async function claimed(scene: Scene): Promise<Mail> {
  const mail = await claim(scene);
  if (mail === null) throw new Error('there is no mail to claim');
  return mail;
}

const mails = (scene: Scene) =>
  getValues(
    scene,
    `select jsonb_build_array(id, state, attempts, claim is not null, due_at > clock_timestamp()) as value
      from private.desk_mails order by id`,
  );

const mailEvents = (scene: Scene) =>
  getValues(
    scene,
    `select jsonb_build_array(interview_id, before, after, text) as value from private.desk_events where what = 'mail'
      order by id`,
  );

const recordOutcome = (scene: Scene, { id, claim }: Mail, outcome: string, text: string | null = null) =>
  attempt(scene.database, service(), 'select desk_mail_settle($1, $2, $3, $4)', [id, claim, outcome, text]);

const CLAIM = ['public.desk_mail_claim()', 'private.desk_mail_end(bigint,text,text)'];
const SETTLE = ['public.desk_mail_settle(bigint,uuid,text,text)', 'private.desk_mail_end(bigint,text,text)'];
const ADDRESS = ['private.desk_mail_address(private.desk_mails)', 'private.desk_mail_whole(private.desk_mails)'];

export const MAIL_RULES: readonly Rule[] = [
  {
    name: 'Mails: each due one is given out once, to one server',
    about: CLAIM,
    check: async (scene) => {
      const [first, second] = await queue(scene);
      assert.equal((await claimed(scene)).id, first);
      assert.deepEqual(await mails(scene), [
        [first, 'claimed', 1, true, true],
        [second, 'waiting', 0, false, false],
      ]);
      assert.equal((await claimed(scene)).id, second);
      assert.equal(await claim(scene), null);
    },
  },
  {
    name: 'Mails: the one that is due first goes first, whenever it was written',
    about: CLAIM,
    check: async (scene) => {
      const [first, second] = await queue(scene);
      await must(scene, `update private.desk_mails set due_at = now() - interval '3 minutes' where id = $1`, [second]);
      assert.equal((await claimed(scene)).id, second);
      assert.equal((await claimed(scene)).id, first);
    },
  },
  {
    name: 'Mails: one that was sent or is not due yet is not given out',
    about: CLAIM,
    check: async (scene) => {
      const [first, second] = await queue(scene);
      await must(scene, `update private.desk_mails set state = 'sent' where id = $1`, [first]);
      await must(scene, `update private.desk_mails set due_at = now() + interval '1 hour' where id = $1`, [second]);
      assert.equal(await claim(scene), null);
    },
  },
  {
    name: 'Mails: the one that has been due for longest is taken, whichever was written first',
    about: CLAIM,
    check: async (scene) => {
      const [first, second] = await queue(scene);
      await must(scene, `update private.desk_mails set mail = 'published', due_at = now() - id * interval '1 minute'`);
      // An index would bring them in that order by itself, also by a plan of an earlier call.
      for (const scan of ['indexscan', 'bitmapscan']) await must(scene, `set local enable_${scan} = off`);
      await must(scene, 'discard plans');
      assert.deepEqual([(await claimed(scene)).id, (await claimed(scene)).id], [second, first]);
    },
  },
  {
    name: 'Mails: one whose sender is gone is never sent again, and the contribution says so',
    about: CLAIM,
    check: async (scene) => {
      const [first, second] = await queue(scene);
      await must(scene, `update private.desk_mails set state = 'sending' where id = $1`, [first]);
      assert.equal((await claimed(scene)).id, second);
      assert.deepEqual(await mailEvents(scene), [[boundId(scene), 'new', 'unsure', null]]);
      assert.deepEqual((await mails(scene))[0], [first, 'unsure', 0, false, false]);
    },
  },
  {
    name: 'Mails: one without an address and one a week old are ended',
    about: CLAIM,
    check: async (scene) => {
      const [first, second] = await queue(scene);
      await must(scene, `update private.desk_mails set address = null where id = $1`, [first]);
      await must(scene, `update private.desk_mails set created_at = now() - interval '8 days' where id = $1`, [second]);
      const untouched = 'select count(*)::int as value from private.desk_items where changed_at = now()';
      const before = Number(await answer(scene, untouched));
      assert.equal(await claim(scene), null);
      assert.deepEqual(
        (await mails(scene)).map((mail) => (mail as unknown[])[1]),
        ['no_address', 'refused'],
      );
      // That the team has no address is no news to the team.
      assert.deepEqual(await mailEvents(scene), [[foreignId(scene), 'new', 'refused', null]]);
      assert.equal(await answer(scene, untouched), before);
    },
  },
  {
    name: 'Mails: only the server that claimed one begins it, once',
    about: ['public.desk_mail_begin(bigint,uuid)'],
    check: async (scene) => {
      const [first, second] = await queue(scene);
      const mail = await claimed(scene);
      const begin = (id: number, by: string) => call(scene, 'desk_mail_begin($1, $2)', [id, by]);
      assert.equal(await begin(first, NEVER), false);
      assert.equal(await begin(second, mail.claim), false);
      assert.equal(await begin(first, mail.claim), true);
      assert.equal(await begin(first, mail.claim), false);
      assert.deepEqual(
        (await mails(scene)).map((one) => (one as unknown[])[1]),
        ['sending', 'waiting'],
      );
    },
  },
  {
    name: 'Mails: only the server that claimed one ends it, and only that one',
    about: SETTLE,
    check: async (scene) => {
      const [first, second] = await queue(scene);
      const mail = await claimed(scene);
      const other = await claimed(scene);
      const before = await mails(scene);
      await recordOutcome(scene, { ...mail, claim: NEVER }, 'sent');
      await recordOutcome(scene, { id: first, claim: other.claim }, 'later');
      assert.deepEqual(await mails(scene), before);
      await recordOutcome(scene, mail, 'sent');
      await recordOutcome(scene, mail, 'refused');
      assert.deepEqual(await mails(scene), [
        [first, 'sent', 1, false, true],
        [second, 'claimed', 1, true, true],
      ]);
      assert.deepEqual(await mailEvents(scene), []);
    },
  },
  {
    name: 'Mails: one that was ended meanwhile stays as it is',
    about: SETTLE,
    check: async (scene) => {
      const [first] = await queue(scene);
      const mail = await claimed(scene);
      await must(scene, `update private.desk_mails set state = 'unsure' where id = $1`, [first]);
      await recordOutcome(scene, mail, 'sent');
      assert.deepEqual((await mails(scene))[0], [first, 'unsure', 1, true, true]);
    },
  },
  {
    name: 'Mails: a refusal is an event of its contribution alone',
    about: SETTLE,
    check: async (scene) => {
      await queue(scene);
      const others =
        'select changed_at::text as value from private.desk_items where interview_id <> $1 order by interview_id';
      const before = await getValues(scene, others, [boundId(scene)]);
      await recordOutcome(scene, await claimed(scene), 'refused', '550 nein');
      assert.deepEqual(await mailEvents(scene), [[boundId(scene), 'new', 'refused', '550 nein']]);
      assert.deepEqual(await getValues(scene, others, [boundId(scene)]), before);
    },
  },
  {
    name: 'Mails: one that was sent to a contributor is an event',
    about: SETTLE,
    check: async (scene) => {
      const [first] = await queue(scene);
      await must(scene, `update private.desk_mails set mail = 'published' where id = $1`, [first]);
      await recordOutcome(scene, await claimed(scene), 'sent');
      assert.deepEqual(await mailEvents(scene), [[boundId(scene), 'published', 'sent', null]]);
    },
  },
  {
    name: 'Mails: one for later waits, and no other does',
    about: SETTLE,
    check: async (scene) => {
      const [first, second] = await queue(scene);
      await recordOutcome(scene, await claimed(scene), 'later');
      assert.deepEqual(await mails(scene), [
        [first, 'waiting', 1, false, true],
        [second, 'waiting', 0, false, false],
      ]);
    },
  },
  {
    name: 'Mails: an outcome that is not known and a long answer are refused',
    about: SETTLE,
    check: async (scene) => {
      await queue(scene);
      const mail = await claimed(scene);
      await mustBeRefused(recordOutcome(scene, mail, 'lost'), '22023');
      await mustBeRefused(recordOutcome(scene, mail, 'sent', 'x'.repeat(201)), '22023');
    },
  },
  {
    name: 'Mails: a mailbox gets one letter in a pause, about everything that waits for it (decision 0124)',
    about: ['public.desk_mail_set_pause(integer)', ...CLAIM],
    check: async (scene) => {
      const [first, second] = await queue(scene);
      await must(scene, `update private.desk_mails set address = 'team@beispiel.test'`);
      await call(scene, 'desk_mail_set_pause(600)');
      const mail = await claimed(scene);
      assert.equal((mail as unknown as { count: number }).count, 2);
      await recordOutcome(scene, mail, 'sent');
      assert.deepEqual(
        (await mails(scene)).map((one) => (one as unknown[])[1]),
        ['sent', 'sent'],
      );
      await must(scene, `update private.desk_mails set state = 'waiting', due_at = now() where id = $1`, [second]);
      assert.equal(await claim(scene), null);
      await call(scene, 'desk_mail_set_pause(0)');
      await must(scene, 'update private.desk_mails set due_at = now() where id = $1', [second]);
      assert.equal((await claimed(scene)).id, second);
      assert.ok(first < second);
      await mustBeRefused(attempt(scene.database, service(), 'select desk_mail_set_pause(-1)'), '22023');
    },
  },
  {
    name: 'Mails: one is written from its own contribution, change and sender',
    about: ADDRESS,
    check: async (scene) => {
      await queue(scene);
      const [id, admin] = [boundId(scene), getAdmin(scene)];
      await must(scene, `select desk_mail_configure('{}')`);
      await must(
        scene,
        `update interviews set contact_email = 'ada@beispiel.test', contact_first_name = 'Ada' where id = $1`,
        [id],
      );
      await must(
        scene,
        `update interviews set contact_email = 'fremd@beispiel.test', contact_first_name = 'Fremd' where id = $1`,
        [foreignId(scene)],
      );
      await must(scene, 'delete from private.desk_mails');
      const change = (of: number, text: string) =>
        attempt(scene.database, login(admin), 'select desk_change($1, 1, $2)', [
          of,
          JSON.stringify({ state: 'for_review', text }),
        ]);
      await change(id, 'Bitte lesen');
      await change(foreignId(scene), 'Fremd');
      const mail = (await claim(scene)) as unknown as Record<string, unknown>;
      const { to, replyTo, contribution, firstName, text } = mail;
      assert.deepEqual(
        { to, replyTo, contribution, firstName, text },
        { to: 'ada@beispiel.test', replyTo: admin.email, contribution: id, firstName: 'Ada', text: 'Bitte lesen' },
      );
      const other = (await claim(scene)) as unknown as Record<string, unknown>;
      assert.deepEqual([other['to'], other['text']], ['fremd@beispiel.test', 'Fremd']);
    },
  },
  {
    name: 'Mails: one to the team never goes to the contributor, and names no address for answers',
    about: ADDRESS,
    check: async (scene) => {
      await must(scene, `update interviews set contact_email = 'ada@beispiel.test' where id = $1`, [boundId(scene)]);
      const [ended] = await queue(scene);
      await must(scene, 'update private.desk_mails set address = null where id = $1', [ended]);
      const mail = (await claim(scene)) as unknown as Record<string, unknown>;
      assert.deepEqual([mail['to'], mail['replyTo']], ['chefin@beispiel.test', null]);
      assert.equal(((await mails(scene))[0] as unknown[])[1], 'no_address');
    },
  },
  {
    name: 'Mails: a colleague gets one while being an administrator',
    about: ADDRESS,
    check: async (scene) => {
      const admin = getAdmin(scene);
      const to = (colleague: string) =>
        answer(
          scene,
          `select private.desk_mail_address(jsonb_populate_record(null::private.desk_mails, jsonb_build_object('mail',
            'new', 'colleague', $1::uuid))) as value`,
          [colleague],
        );
      assert.equal(await to(admin.id), admin.email);
      assert.equal(await to(getMember(scene, 'firma_a').id), null);
    },
  },
  {
    name: 'Mails: those of the team go to administrators who may sign in and whose address is confirmed',
    about: ['private.mailable_admins()'],
    check: async (scene) => {
      const { id, email } = getAdmin(scene);
      const change = (columns: string) => must(scene, `update auth.users set ${columns} where id = $1`, [id]);
      const mailable = () =>
        getValues(scene, 'select jsonb_build_array(user_id, email) as value from private.mailable_admins()');
      assert.deepEqual(await mailable(), [[id, email]]);
      await change(`banned_until = now() - interval '1 hour'`);
      assert.deepEqual(await mailable(), [[id, email]]);
      for (const [column, none, back] of [
        ['banned_until', `now() + interval '1 hour'`, 'null'],
        ['deleted_at', 'now()', 'null'],
        ['email_confirmed_at', 'null', 'now()'],
        ['email', `''`, `'${email}'`],
      ] as const) {
        await change(`${column} = ${none}`);
        assert.deepEqual(await mailable(), [], column);
        await change(`${column} = ${back}`);
        assert.deepEqual(await mailable(), [[id, email]]);
      }
    },
  },
  {
    name: 'Mails: where nobody gets the one about a change any more, others are told, once',
    about: ['private.desk_mail_end(bigint,text,text)', 'private.add_answer_mail(bigint)'],
    check: async (scene) => {
      await queue(scene);
      const member = getMember(scene, 'firma_a').id;
      const add = async (
        mail: string,
        states: readonly string[],
        { age = 1, colleague = member }: Readonly<{ age?: number; colleague?: string | null }> = {},
      ) => {
        const made = await getValues(
          scene,
          `insert into private.desk_mails (key, interview_id, mail, colleague, state, created_at)
            select gen_random_uuid(), $1, $2, $3, state, now() - $5 * interval '1 hour' from unnest($4::text[]) as state
            returning id as value`,
          [boundId(scene), mail, colleague, states, age],
        );
        return made[0];
      };
      const told = async (id: unknown, outcome = 'no_address') => {
        await must(scene, 'select private.desk_mail_end($1, $2, null)', [id, outcome]);
        const found = await getValues(
          scene,
          `select address as value from private.desk_mails where mail = 'review_answer' and address is not null`,
        );
        await must(scene, 'delete from private.desk_mails');
        return found;
      };
      assert.deepEqual(await told(await add('review_answer', ['waiting'])), ['team@beispiel.test']);
      assert.deepEqual(await told(await add('review_answer', ['waiting', 'no_address'])), ['team@beispiel.test']);
      assert.deepEqual(await told(await add('review_answer', ['waiting', 'sent'])), []);
      assert.deepEqual(await told(await add('new', ['waiting'])), []);
      assert.deepEqual(await told(await add('review_answer', ['waiting']), 'refused'), []);
      assert.deepEqual(await told(await add('review_answer', ['waiting'], { colleague: null })), []);
      // A mail about an earlier request, another contribution or something else does not count.
      await add('review_answer', ['sent'], { age: 2 });
      await add('new', ['sent']);
      await must(
        scene,
        `insert into private.desk_mails (key, interview_id, mail, colleague) values ('f', $1, 'review_answer', $2)`,
        [foreignId(scene), member],
      );
      assert.deepEqual(await told(await add('review_answer', ['waiting'])), ['team@beispiel.test']);
    },
  },
  {
    name: 'Mails: one about answers that nobody got is made up for by the next, one that was sent is not repeated',
    about: ['private.desk_mail_end(bigint,text,text)'],
    check: async (scene) => {
      const add = (state: string, age: number, contribution = boundId(scene), mail = 'review_answer') =>
        answer(
          scene,
          `insert into private.desk_mails (key, interview_id, mail, state, claim, created_at)
            values (gen_random_uuid(), $1, $4, $2, case $2 when 'claimed' then gen_random_uuid() end,
              now() - $3 * interval '1 hour') returning id as value`,
          [contribution, state, age, mail],
        );
      for (const [outcome, age, mail] of [
        ['sent', 1, 'review_answer'],
        ['refused', 1, 'review_answer'],
        ['no_address', 2, 'review_answer'],
        ['no_address', 1, 'published'],
      ] as const) {
        const ended = await add('claimed', 2, boundId(scene), mail);
        const next = await add('waiting', 1, boundId(scene), mail);
        const others = [
          [await add('waiting', 1, foreignId(scene)), 1],
          [await add('waiting', 1, boundId(scene), 'new'), 1],
          [await add('sent', 1), 1],
          [await add('waiting', 3), 3],
        ];
        await must(scene, 'select private.desk_mail_end($1, $2, null)', [ended, outcome]);
        const since = `select to_jsonb(now() - created_at = $2 * interval '1 hour') as value from private.desk_mails
          where id = $1`;
        assert.equal(await answer(scene, since, [next, age]), true, outcome);
        for (const other of others) assert.equal(await answer(scene, since, other), true, outcome);
        await must(scene, 'delete from private.desk_mails');
      }
    },
  },
];
