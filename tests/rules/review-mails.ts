import { strict as assert } from 'node:assert';
import { attempt, login, service } from '#tests/support/callers.ts';
import { sentPost } from '#tests/support/matrix-cases.ts';
import { addPost, asDesk, putInto, refusedDesk } from './posts.ts';
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

type Json = Readonly<Record<string, unknown>>;

const HASH = 'a'.repeat(64);
const NEVER = '00000000-0000-4000-8000-000000000009';

/** A server sends mails, the contribution has an address, and only its own posts can be in review. */
export async function prepare(scene: Scene): Promise<void> {
  await must(scene, `select desk_mail_configure('{team@beispiel.test}')`);
  await must(scene, 'delete from private.review_links');
  await must(scene, 'delete from posts where interview_id <> $1', [boundId(scene)]);
  await must(scene, `update interviews set contact_email = 'ada@beispiel.test' where id = $1`, [boundId(scene)]);
  await must(scene, 'delete from private.desk_mails');
}

export const ask = (scene: Scene, sql: string, params: readonly unknown[] = []) =>
  answer(scene, `select ${sql} as value`, params, service());

export const request = (scene: Scene, ids: readonly number[]) =>
  asDesk(scene, 'desk_review_request($1, $2)', [boundId(scene), JSON.stringify(ids.map((id) => ({ id, version: 1 })))]);

export const mails = (scene: Scene) =>
  getValues(
    scene,
    `select jsonb_build_array(interview_id, mail, state, asked_by) as value from private.desk_mails
      where mail in ('review', 'review_reminder') order by id`,
  );

export const links = (scene: Scene) =>
  getValues(
    scene,
    `select jsonb_build_array(interview_id, encode(key_hash, 'hex'), revoked_at is null) as value
      from private.review_links order by id`,
  );

export const REQUEST = [
  'public.desk_review_request(bigint,jsonb)',
  'private.queue_review_mail(bigint,uuid)',
  'private.has_contact_address(bigint)',
];
export const KEY = ['public.review_mail_key(bigint,uuid,text)'];
export const REMIND = ['public.review_remind(integer[])'];
export const LINK = ['public.review_link_request(text)', 'private.renew_review_link(bigint)'];
export const OWN_LINK = 'public.own_review_link(bigint)';

export const REVIEW_MAIL_RULES: readonly Rule[] = [
  {
    name: 'Review mails: posts go into review with one mail, and none where nothing can be sent',
    about: [...REQUEST, 'private.desk_mail_whole(private.desk_mails)'],
    check: async (scene) => {
      await prepare(scene);
      const [one, other] = [await addPost(scene), await addPost(scene)];
      const { posts } = await request(scene, [one]);
      await request(scene, [other]);
      const states = (posts as Json[]).filter(({ id }) => id === one).map(({ state }) => state);
      assert.deepEqual(states, ['in_review']);
      assert.deepEqual(await mails(scene), [[boundId(scene), 'review', 'waiting', getAdmin(scene).id]]);
      const mail = (await ask(scene, 'desk_mail_claim()')) as Json;
      assert.deepEqual([mail['to'], mail['replyTo']], ['ada@beispiel.test', 'team@beispiel.test']);
      assert.equal((mail['channels'] as unknown[]).length >= 2, true);
      // The next one is a mail of its own: the first is on its way.
      await request(scene, []);
      assert.equal((await mails(scene)).length, 2);
      await must(scene, `update interviews set contact_email = null, user_email = null where id = $1`, [
        boundId(scene),
      ]);
      await refusedDesk(scene, '22023', 'desk_review_request($1)', [boundId(scene)]);
      await must(scene, `update interviews set user_email = 'ada@beispiel.test' where id = $1`, [boundId(scene)]);
      await request(scene, []);
      await must(scene, `delete from private.settings where name = 'desk_mail'`);
      await refusedDesk(scene, '22023', 'desk_review_request($1)', [boundId(scene)]);
      await must(scene, `select desk_mail_configure('{}')`);
      await must(scene, 'delete from posts where interview_id = $1', [boundId(scene)]);
      await refusedDesk(scene, '22023', 'desk_review_request($1)', [boundId(scene)]);
      await refusedDesk(scene, 'PT404', 'desk_review_request(999999)');
    },
  },
  {
    name: 'Review mails: a key opens the review of the mail that its sender holds, and no earlier key does',
    about: KEY,
    check: async (scene) => {
      await prepare(scene);
      await request(scene, [await addPost(scene)]);
      const { id, claim } = (await ask(scene, 'desk_mail_claim()')) as Json;
      const make = (by: unknown, hash: unknown) => ask(scene, 'review_mail_key($1, $2, $3)', [id, by, hash]);
      assert.equal(await make(NEVER, HASH), false);
      for (const hash of ['a', HASH.toUpperCase(), null])
        await mustBeRefused(
          attempt(scene.database, service(), 'select review_mail_key($1, $2, $3)', [id, claim, hash]),
          '22023',
        );
      assert.equal(await make(claim, HASH), true);
      assert.equal(await make(claim, 'b'.repeat(64)), true);
      assert.deepEqual(await links(scene), [
        [boundId(scene), HASH, false],
        [boundId(scene), 'b'.repeat(64), true],
      ]);
      await must(scene, `update private.desk_mails set state = 'sent'`);
      assert.equal(await make(claim, 'c'.repeat(64)), false);
      await must(scene, `update private.desk_mails set state = 'claimed', mail = 'published'`);
      assert.equal(await make(claim, 'c'.repeat(64)), false);
      await must(scene, `update private.desk_mails set mail = 'review_reminder'`);
      assert.equal(await make(claim, 'c'.repeat(64)), true);
      await must(scene, `update posts set state = 'draft' where state = 'in_review'`);
      assert.equal(await make(claim, 'd'.repeat(64)), false);
      assert.deepEqual(await mails(scene), []);
    },
  },
  {
    name: 'Review mails: a reminder is due at its days after the last link that was sent, once',
    about: REMIND,
    check: async (scene) => {
      await prepare(scene);
      const id = await addPost(scene);
      await request(scene, [id]);
      const remind = async (age: string): Promise<number> => {
        await must(
          scene,
          `update private.desk_mails set created_at = now() - $1::interval, state = 'sent' where mail = 'review'`,
          [age],
        );
        await attempt(scene.database, service(), `select review_remind('{3,7}')`);
        return (await mails(scene)).length - 1;
      };
      assert.deepEqual([await remind('71 hours'), await remind('73 hours'), await remind('73 hours')], [0, 1, 1]);
      assert.deepEqual((await mails(scene))[1], [boundId(scene), 'review_reminder', 'waiting', getAdmin(scene).id]);
      await must(scene, `update private.desk_mails set state = 'sent'`);
      assert.equal(await remind('8 days'), 2);
      // After an outage the latest one alone.
      await must(scene, `delete from private.desk_mails where mail = 'review_reminder'`);
      assert.equal(await remind('9 days'), 1);
      await must(scene, `delete from private.desk_mails where mail = 'review_reminder'`);
      await must(scene, `update private.desk_mails set state = 'refused'`);
      await attempt(scene.database, service(), `select review_remind('{3,7}')`);
      assert.equal((await mails(scene)).length, 1);
      await must(scene, `update posts set state = 'draft' where state = 'in_review'`);
      assert.equal(await remind('9 days'), 0);
    },
  },
  {
    name: 'Review mails: a new link goes to the contribution of an earlier key, every ten minutes and five times a day',
    about: [...LINK, 'private.has_contact_address(bigint)'],
    check: async (scene) => {
      await prepare(scene);
      await putInto(scene, sentPost(boundId(scene)), 'approved');
      await must(
        scene,
        `insert into private.review_links (interview_id, key_hash, revoked_at) values ($1, decode($2, 'hex'), now())`,
        [boundId(scene), HASH],
      );
      const renew = async (sql: string, params: readonly unknown[] = []): Promise<number> => {
        assert.equal(await ask(scene, `review_link_request(${sql})::text`, params), '');
        return (await mails(scene)).length;
      };
      assert.equal(await renew('$1', ['b'.repeat(64)]), 0);
      assert.equal(await renew('$1', [String(boundId(scene))]), 0);
      assert.equal(await renew('$1', [HASH]), 1);
      await must(scene, `update private.desk_mails set state = 'sent'`);
      assert.equal(await renew('$1', [HASH]), 1);
      for (const count of [2, 3, 4, 5, 5]) {
        await must(scene, `update private.desk_mails set state = 'sent', created_at = now() - interval '11 minutes'`);
        assert.equal(await renew('$1', [HASH]), count);
      }
      await must(scene, `update private.desk_mails set created_at = now() - interval '25 hours'`);
      assert.equal(await renew('$1', [HASH]), 6);
      await must(scene, 'delete from private.desk_mails');
      await must(scene, `update interviews set contact_email = null, user_email = null where id = $1`, [
        boundId(scene),
      ]);
      assert.equal(await renew('$1', [HASH]), 0);
      await must(scene, `update interviews set contact_email = 'ada@beispiel.test' where id = $1`, [boundId(scene)]);
      await must(scene, `delete from private.settings where name = 'desk_mail'`);
      assert.equal(await renew('$1', [HASH]), 0);
    },
  },
  {
    name: 'Review mails: a member asks for the link of an own contribution, and for no other one (0262)',
    about: [OWN_LINK],
    check: async (scene) => {
      await prepare(scene);
      await putInto(scene, sentPost(boundId(scene)), 'approved');
      const member = getMember(scene, 'firma_b');
      const renew = async (): Promise<number> => {
        const caller = login(member);
        assert.equal(await answer(scene, 'select own_review_link($1)::text as value', [boundId(scene)], caller), '');
        return (await mails(scene)).length;
      };
      await must(scene, 'update interviews set user_id = $2 where id = $1', [
        boundId(scene),
        getMember(scene, 'firma_a').id,
      ]);
      assert.equal(await renew(), 0);
      await must(scene, 'update interviews set user_id = $2 where id = $1', [boundId(scene), member.id]);
      assert.deepEqual([await renew(), await renew()], [1, 1]);
    },
  },
  {
    name: 'Review mails: a line of the desk counts approved and published posts, no stopped and no withdrawn one',
    about: ['private.desk_lines(bigint[],tsquery)'],
    check: async (scene) => {
      await must(scene, 'delete from posts');
      const line = async () =>
        ((await answer(scene, `select private.desk_lines(array[$1::bigint], null) -> 0 -> 'posts' as value`, [
          boundId(scene),
        ])) ?? null) as unknown;
      assert.equal(await line(), null);
      for (const state of ['approved', 'published', 'in_review', 'declined'])
        await putInto(scene, await addPost(scene), state);
      await addPost(scene, foreignId(scene));
      // What each has of an earlier withdrawal counts where it is published alone.
      assert.deepEqual(await line(), { approved: 1, changes: 0, withdrawn: 1, total: 3 });
      await must(scene, 'update posts set withdrawn_at = null');
      assert.deepEqual(await line(), { approved: 2, changes: 0, withdrawn: 0, total: 3 });
    },
  },
];
