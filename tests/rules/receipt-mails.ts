import { strict as assert } from 'node:assert';
import { createHash } from 'node:crypto';
import { anon, attempt, service } from '#tests/support/callers.ts';
import { SAVE_CONTACT } from '#tests/support/factories.ts';
import {
  answer,
  boundId,
  foreignId,
  getValues,
  must,
  mustBeRefused,
  mustWork,
  type Rule,
  type Scene,
} from './rules.ts';

const QUEUE = ['on_desk_receipt_insert', 'on_desk_receipt_update', 'private.on_desk_receipt()'];
const CONFIGURE = 'public.receipt_mail_configure(integer)';
const FACTS = 'private.receipt_facts(bigint)';

const configure = (scene: Scene, perDay: number | null) =>
  answer(scene, 'select receipt_mail_configure($1)::text as value', [perDay], service());

/** Both contributions stand at the desk without contact details, and no mail waits. */
async function prepare(scene: Scene, perDay: number | null): Promise<void> {
  await must(scene, `select desk_mail_configure('{team@beispiel.test}')`);
  await configure(scene, perDay);
  await must(scene, 'update interviews set contact_email = null, completed_at = null');
  await must(scene, 'delete from private.desk_mails');
  await must(scene, 'delete from private.desk_events');
}

const complete = (scene: Scene, id: number, email = 'Ada@beispiel.test') =>
  must(
    scene,
    `update interviews set contact_first_name = 'A', contact_last_name = 'L', contact_email = $2 where id = $1`,
    [id, email],
  );

const listReceipts = (scene: Scene) =>
  getValues(scene, `select interview_id::int as value from private.desk_mails where mail = 'receipt' order by id`);

const listLimited = (scene: Scene) =>
  getValues(scene, `select interview_id::int as value from private.desk_events where after = 'limited' order by id`);

export const RECEIPT_MAIL_RULES: readonly Rule[] = [
  {
    name: 'Receipts: a contribution brings one when it becomes complete, and none again (receipts)',
    about: [...QUEUE, CONFIGURE],
    check: async (scene) => {
      const id = boundId(scene);
      await prepare(scene, 5);
      assert.deepEqual(await listReceipts(scene), []);
      await mustWork(attempt(scene.database, anon(scene.fixture.key), SAVE_CONTACT, [id]));
      assert.deepEqual(await listReceipts(scene), [id]);
      await must(scene, 'update private.desk_items set finished = true where interview_id = $1', [id]);
      await must(scene, 'update private.desk_items set finished = false where interview_id = $1', [id]);
      await must(scene, 'update private.desk_items set finished = true where interview_id = $1', [id]);
      assert.deepEqual(await listReceipts(scene), [id]);
      assert.deepEqual(await listLimited(scene), []);
      // One that is complete from the beginning.
      const made = await must(
        scene,
        `insert into interviews (transcript, contact_first_name, contact_last_name, contact_email)
          values ('Alles', 'A', 'L', 'neu@beispiel.test') returning id::int`,
      );
      assert.deepEqual(await listReceipts(scene), [id, made.rows[0]?.['id']]);
    },
  },
  {
    name: 'Receipts: none without a team, without an address, or where they are switched off (receipts)',
    about: [...QUEUE, CONFIGURE],
    check: async (scene) => {
      await prepare(scene, null);
      await complete(scene, boundId(scene));
      assert.deepEqual(await listReceipts(scene), []);
      await prepare(scene, 5);
      await must(scene, `delete from private.settings where name = 'desk_mail'`);
      await complete(scene, boundId(scene));
      assert.deepEqual(await listReceipts(scene), []);
      await prepare(scene, 5);
      await must(scene, 'update private.desk_items set finished = false where interview_id = $1', [boundId(scene)]);
      await must(scene, 'update private.desk_items set finished = true where interview_id = $1', [boundId(scene)]);
      assert.deepEqual(await listReceipts(scene), []);
      for (const perDay of [0, 1001])
        await mustBeRefused(attempt(scene.database, service(), 'select receipt_mail_configure($1)', [perDay]), '22023');
    },
  },
  {
    name: 'Receipts: one address gets so many a day, however it is written, and the desk sees what was held back (receipts)',
    about: [...QUEUE, CONFIGURE],
    check: async (scene) => {
      const [one, two] = [boundId(scene), foreignId(scene)];
      await prepare(scene, 1);
      await complete(scene, one);
      await complete(scene, two, 'aDA@beispiel.test');
      assert.deepEqual([await listReceipts(scene), await listLimited(scene)], [[one], [two]]);
      await prepare(scene, 1);
      await complete(scene, one);
      await complete(scene, two, 'other@beispiel.test');
      assert.deepEqual([await listReceipts(scene), await listLimited(scene)], [[one, two], []]);
      await prepare(scene, 1);
      await complete(scene, one);
      await must(scene, `update private.desk_mails set created_at = now() - interval '25 hours'`);
      await complete(scene, two);
      assert.deepEqual([await listReceipts(scene), await listLimited(scene)], [[one, two], []]);
    },
  },
  {
    name: 'Receipts: count for the address they were queued for, and go to no other one (receipts)',
    about: [...QUEUE, 'private.receiver_hash(text)', 'private.desk_mail_address(private.desk_mails)'],
    check: async (scene) => {
      const [one, two] = [boundId(scene), foreignId(scene)];
      const to = `select private.desk_mail_address(m) as value from private.desk_mails as m where m.mail = 'receipt'`;
      await prepare(scene, 1);
      await must(scene, `update interviews set user_email = 'konto@beispiel.test' where id = $1`, [one]);
      await complete(scene, one);
      await complete(scene, one, 'ADA@beispiel.test');
      assert.equal(await answer(scene, to), 'ADA@beispiel.test');
      await complete(scene, one, 'other@beispiel.test');
      assert.equal(await answer(scene, to), null);
      await complete(scene, two);
      assert.deepEqual([await listReceipts(scene), await listLimited(scene)], [[one], [two]]);
      await must(scene, 'update interviews set contact_email = null where id = $1', [one]);
      assert.equal(await answer(scene, to), null);
      const hash = `select encode(receiver_hash, 'hex') as value from private.desk_mails where mail = 'receipt'`;
      const expected = createHash('sha256').update('ada@beispiel.test').digest('hex');
      assert.equal(await answer(scene, hash), expected);
    },
  },
  {
    name: 'Receipts: one mailbox gets so many a day, under whatever address it takes mails (receipts)',
    about: [...QUEUE, 'private.receiver_hash(text)', 'private.desk_mail_address(private.desk_mails)'],
    check: async (scene) => {
      const [one, two] = [boundId(scene), foreignId(scene)];
      for (const [first, second, same] of [
        ['ada@beispiel.test', 'Ada+1@beispiel.test', true],
        ['ada+eins@beispiel.test', 'ada+zwei+drei@beispiel.test', true],
        ['a.d.a@gmail.com', 'ADA+x@googlemail.com', true],
        ['a.da@beispiel.test', 'ada@beispiel.test', false],
        ['ada@beispiel.test', 'ada@beispiel.tests', false],
      ] as const) {
        await prepare(scene, 1);
        await complete(scene, one, first);
        await complete(scene, two, second);
        assert.deepEqual([second, await listLimited(scene)], [second, same ? [two] : []]);
      }
      await prepare(scene, 1);
      await complete(scene, one, 'ada+eins@beispiel.test');
      const to = `select private.desk_mail_address(m) as value from private.desk_mails as m where m.mail = 'receipt'`;
      assert.equal(await answer(scene, to), 'ada+eins@beispiel.test');
    },
  },
  {
    name: 'Receipts: tell how many words and files of each kind arrived (receipts)',
    about: [FACTS, 'private.desk_mail_whole(private.desk_mails)'],
    check: async (scene) => {
      const id = boundId(scene);
      await prepare(scene, 5);
      await must(scene, 'delete from media_uploads where interview_id = $1', [id]);
      const facts = () => answer(scene, `select private.receipt_facts($1) - 'completedAt' as value`, [id]);
      await must(scene, 'update interviews set transcript = $2 where id = $1', [id, ' Die Pumpe\n läuft ']);
      assert.deepEqual(await facts(), { words: 3, files: {} });
      for (const [name, type] of [
        ['a.png', 'image/png'],
        ['b.jpg', 'image/jpeg'],
        ['c.mp4', 'video/mp4'],
        ['d.txt', 'text/plain'],
        ['transcript_1.txt', 'text/plain'],
        ['transcript_2.txt', 'text/plain'],
      ] as const)
        await must(scene, 'insert into media_uploads (interview_id, file_path, file_type) values ($1, $2, $3)', [
          id,
          `${id}/${name}`,
          type,
        ]);
      const files = { image: 2, video: 1, text: 1 };
      assert.deepEqual(await facts(), { words: 3, files }, 'each correction of the text is a file, too');
      await must(scene, `update interviews set transcript = '' where id = $1`, [id]);
      assert.deepEqual(await facts(), { words: 0, files: { ...files, text: 3 } }, 'nothing else has the text');
      const completed = `select private.receipt_facts($1) ->> 'completedAt' is not null as value`;
      assert.equal(await answer(scene, completed, [id]), true);
      await complete(scene, id);
      const received = `select jsonb_object_agg(m.mail, private.desk_mail_whole(m) -> 'received' ->> 'words') as value
        from private.desk_mails as m where m.interview_id = $1`;
      assert.deepEqual(await answer(scene, received, [id]), { new: null, receipt: '0' });
    },
  },
];
