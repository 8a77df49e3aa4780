import { strict as assert } from 'node:assert';
import { anon, attempt, login, type Account, type Outcome } from '#tests/support/callers.ts';
import { createInterview, SAVE_CONTACT } from '#tests/support/factories.ts';
import { commitMeanwhile, undo } from './commit-meanwhile.ts';
import { addPost, asDesk, lastLine } from './posts.ts';
import {
  answer,
  boundId,
  foreignId,
  getAdmin,
  getMember,
  getValues,
  must,
  mustBeRefused,
  type Rule,
  type Scene,
} from './rules.ts';

const LEAVE = ['private.leave_earlier_address()', 'on_earlier_address'];
const CORRECT = [
  'public.desk_change(bigint,integer,jsonb)',
  'private.desk_correct_address(private.desk_items,jsonb)',
  ...LEAVE,
];

const correct = async (scene: Scene, change: unknown, id = boundId(scene)) => {
  const version = await answer(scene, 'select version as value from private.desk_items where interview_id = $1', [id]);
  return attempt(scene.database, login(getAdmin(scene)), 'select desk_change($1, $2, $3) as value', [
    id,
    version,
    JSON.stringify(change),
  ]);
};

const saveAddress = (scene: Scene, id: number, email: string) =>
  must(scene, 'update interviews set contact_email = $2 where id = $1', [id, email]);

const addressOf = (scene: Scene, id: number) =>
  answer(scene, 'select to_jsonb(contact_email) as value from interviews where id = $1', [id]);

const queue = (scene: Scene, id: number, mail: string, state: string) =>
  must(
    scene,
    `insert into private.desk_mails (key, interview_id, mail, state, claim, due_at)
      values (gen_random_uuid(), $1, $2, $3, case $3 when 'claimed' then gen_random_uuid() end,
        now() + interval '1 day')`,
    [id, mail, state],
  );

const mails = (scene: Scene, id: number) =>
  getValues(
    scene,
    `select jsonb_build_array(mail, state, claim is null, due_at <= clock_timestamp()) as value from private.desk_mails
      where interview_id = $1 order by id`,
    [id],
  );

/** Who asked for the review mail that waits. */
const askedBy = (scene: Scene, id: number) =>
  answer(
    scene,
    `select to_jsonb(asked_by) as value from private.desk_mails
      where interview_id = $1 and mail = 'review' and state = 'waiting'`,
    [id],
  );

const links = (scene: Scene) =>
  getValues(
    scene,
    `select jsonb_build_array(interview_id, revoked_at is null) as value from private.review_links
      order by interview_id, revoked_at is null`,
  );

/** Who sent the link that ends. */
const sender = (scene: Scene): Account => getMember(scene, 'firma_a');

type Corrector = Readonly<{ save: (scene: Scene) => Promise<Outcome>; asks: (scene: Scene) => Account }>;

const endsLinks = (who: string, { save, asks }: Corrector): Rule => ({
  name: `Desk: of an address that ${who} corrects the links end, and what waits goes to the new one (0385)`,
  about: CORRECT,
  check: async (scene) => {
    const [id, other] = [boundId(scene), foreignId(scene)];
    await must(scene, `select desk_mail_configure('{}')`);
    for (const one of [id, other]) {
      await saveAddress(scene, one, 'ada@beispeil.test');
      const post = await addPost(scene, one);
      await asDesk(scene, 'desk_review_send($1, $2, $3)', [
        one,
        JSON.stringify([{ id: post, version: 1 }]),
        String(one).repeat(64).slice(0, 64),
      ]);
      await must(scene, 'delete from private.desk_mails where interview_id = $1', [one]);
      for (const [mail, state] of [
        ['new', 'claimed'],
        ['review_reminder', 'waiting'],
        ['review_reminder', 'sent'],
        ['published', 'claimed'],
        ['published', 'sent'],
      ] as const)
        await queue(scene, one, mail, state);
    }
    // One that had been replaced before, and one that another colleague sent.
    await must(
      scene,
      `insert into private.review_links (interview_id, key_hash, revoked_at) values ($1, sha256('k'), now())`,
      [id],
    );
    await must(scene, 'update private.review_links set created_by = $2 where interview_id = $1', [
      id,
      sender(scene).id,
    ]);
    const untouched = await mails(scene, other);
    assert.equal((await save(scene)).kind, 'done');
    assert.deepEqual(await mails(scene, id), [
      ['new', 'claimed', false, false],
      ['review_reminder', 'sent', true, false],
      ['published', 'waiting', true, true],
      ['published', 'sent', true, false],
      ['review', 'waiting', true, true],
    ]);
    assert.equal(await askedBy(scene, id), asks(scene).id);
    assert.deepEqual(await mails(scene, other), untouched);
    const byId = (one: unknown[], two: unknown[]): number => Number(one[0]) - Number(two[0]);
    assert.deepEqual(
      await links(scene),
      [
        [id, false],
        [id, false],
        [other, true],
      ].toSorted(byId),
    );
  },
});

export const CORRECTED_ADDRESS_RULES: readonly Rule[] = [
  {
    name: 'Desk: a corrected address is the only one that is kept, its line and its event name none (0385)',
    about: [...CORRECT, 'private.desk_check_change(jsonb)', 'desk_events_what_known', 'desk_audit_log_what_known'],
    check: async (scene) => {
      const [id, admin] = [boundId(scene), getAdmin(scene).id];
      await saveAddress(scene, id, 'ada@beispeil.test');
      await saveAddress(scene, foreignId(scene), 'fremd@beispiel.test');
      const versions = 'select version as value from private.desk_items where interview_id <> $1 order by interview_id';
      const others = await getValues(scene, versions, [id]);
      const outcome = await correct(scene, { email: 'ada@beispiel.test' });
      assert.equal(outcome.kind, 'done', JSON.stringify(outcome));
      assert.equal(await addressOf(scene, id), 'ada@beispiel.test');
      assert.equal(await addressOf(scene, foreignId(scene)), 'fremd@beispiel.test');
      assert.deepEqual(await lastLine(scene), ['address', id, admin, {}]);
      const events = `select to_jsonb(e) - 'id' - 'at' as value from private.desk_events as e where what = 'address'`;
      const [event, ...more] = await getValues(scene, events);
      assert.deepEqual(more, []);
      assert.partialDeepStrictEqual(event, { by: admin });
      assert.deepEqual(await getValues(scene, versions, [id]), others);
      assert.ok(!JSON.stringify(event).includes('@'));
      // The same again is no change.
      const version = 'select version as value from private.desk_items where interview_id = $1';
      const before = await answer(scene, version, [id]);
      assert.equal((await correct(scene, { email: 'ada@beispiel.test' })).kind, 'done');
      assert.equal(await answer(scene, version, [id]), before);
      assert.equal((await getValues(scene, events)).length, 1);
    },
  },
  endsLinks('the desk', { save: (scene) => correct(scene, { email: 'ada@beispiel.test' }), asks: getAdmin }),
  endsLinks('the contributor', {
    save: (scene) => {
      const own = `update interviews set contact_email = 'ada@beispiel.test' where id = $1`;
      return attempt(scene.database, anon(scene.fixture.key), own, [boundId(scene)]);
    },
    asks: sender,
  }),
  {
    name: 'Desk: where no mails go out, or no post waits, a corrected address queues none (0385)',
    about: CORRECT,
    check: async (scene) => {
      const id = boundId(scene);
      await saveAddress(scene, id, 'ada@beispeil.test');
      await must(scene, `select desk_mail_configure('{}')`);
      await must(scene, `update posts set state = 'draft' where interview_id = $1`, [id]);
      await must(scene, 'delete from private.desk_mails');
      assert.equal((await correct(scene, { email: 'ada@beispiel.test' })).kind, 'done');
      assert.deepEqual(await mails(scene, id), []);
      await must(scene, `update posts set state = 'in_review' where interview_id = $1`, [id]);
      await must(scene, 'delete from private.desk_mails');
      await must(scene, `delete from private.settings where name = 'desk_mail'`);
      assert.equal((await correct(scene, { email: 'ada@beispiel2.test' })).kind, 'done');
      assert.deepEqual(await mails(scene, id), []);
    },
  },
  {
    name: 'Desk: an address is corrected where there is one, by a text that is one (0385)',
    about: [...CORRECT, 'private.desk_check_change(jsonb)'],
    check: async (scene) => {
      const id = boundId(scene);
      await must(scene, 'update interviews set contact_email = null where id = $1', [id]);
      await mustBeRefused(correct(scene, { email: 'ada@beispiel.test' }), '22023');
      await saveAddress(scene, id, 'ada@beispeil.test');
      for (const email of [null, 7, ['ada@beispiel.test']]) await mustBeRefused(correct(scene, { email }), '22023');
      await mustBeRefused(correct(scene, { email: 'ada@beispiel.test', note: '' }), '22023');
      await mustBeRefused(correct(scene, { email: 'ada@beispiel.test', state: 'new' }), '22023');
      for (const email of ['', 'ada', 'ada@ beispiel.test', `${'a'.repeat(320)}@beispiel.test`])
        await mustBeRefused(correct(scene, { email }), '23514');
      assert.equal(await addressOf(scene, id), 'ada@beispeil.test');
    },
  },
  {
    name: 'Consent: an administrator who corrects an address needs none, nobody else is spared it (0385)',
    about: ['private.check_consent()', ...CORRECT],
    check: async (scene) => {
      const id = boundId(scene);
      await saveAddress(scene, id, 'ada@beispeil.test');
      await must(scene, `select private.require_consent('Ich stimme zu.')`);
      assert.equal((await correct(scene, { email: 'ada@beispiel.test' })).kind, 'done');
      const own = `update interviews set contact_email = 'ada@beispiel2.test' where id = $1`;
      await mustBeRefused(attempt(scene.database, anon(scene.fixture.key), own, [id]), 'PT422');
    },
  },
  {
    name: 'Consent: an administrator needs one for a first address like everybody else (0385)',
    about: ['private.check_consent()'],
    check: async (scene) => {
      const admin = login(getAdmin(scene));
      const id = await createInterview(scene.database, admin);
      await must(scene, `select private.require_consent('Ich stimme zu.')`);
      await mustBeRefused(attempt(scene.database, admin, SAVE_CONTACT, [id]), 'PT422');
    },
  },
  {
    name: 'Desk: who corrects an address waits for a contributor who saves one, and holds nothing meanwhile (0385)',
    about: CORRECT,
    watches: 'these',
    check: (scene) =>
      scene.elsewhere(async (other) => {
        // Its own, as what is saved here is committed: `bound` keeps its key of seven days for other rules.
        const insert = `insert into public.interviews (contact_email) values ('ada@beispeil.test') returning id`;
        const { rows } = await other.query<{ id: string }>(insert);
        const id = Number(rows[0]?.id);
        const lock = (one: number) =>
          other.query(`rollback; begin; select from public.interviews where id = ${one} for no key update`);
        try {
          await lock(foreignId(scene));
          const free = await undo(scene, () => correct(scene, { email: 'ada@beispiel.test' }, id));
          assert.equal(free.kind, 'done', 'nor for those of other contributions');
          await lock(id);
          const line = `select from private.desk_items where interview_id = ${id} for update nowait`;
          const outcome = await undo(scene, () =>
            commitMeanwhile(scene, other, () => correct(scene, { email: 'ada@beispiel.test' }, id), line),
          );
          assert.equal(outcome.kind, 'done', JSON.stringify(outcome));
        } finally {
          await other.query(
            `rollback; delete from public.interviews where id = ${id}; delete from private.desk_removals`,
          );
        }
      }),
  },
];
