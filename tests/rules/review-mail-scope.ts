import { strict as assert } from 'node:assert';
import { attempt, login, service } from '#tests/support/callers.ts';
import { addPost, asDesk, bearer, lastLine, refusedDesk } from './posts.ts';
import { ask, links, mails, OWN_LINK, prepare, REMIND, KEY, LINK, request, REQUEST } from './review-mails.ts';
import {
  answer,
  boundId,
  foreignId,
  getAdmin,
  getMember,
  getValues,
  must,
  mustBeRefused,
  mustWork,
  type Rule,
  type Scene,
} from './rules.ts';

const CLAIM = '00000000-0000-4000-8000-00000000000b';
const HASH = 'e'.repeat(64);
const LOCK_NOT_AVAILABLE = '55P03';

/** A mail of that kind and age; its id. */
const addMail = async (scene: Scene, contribution: number, mail: string, state: string, age = '0'): Promise<number> =>
  Number(
    await answer(
      scene,
      `insert into private.desk_mails (key, interview_id, mail, state, claim, created_at)
        values (gen_random_uuid(), $1, $2, $3, case $3 when 'claimed' then '${CLAIM}'::uuid end, now() - $4::interval)
        returning id as value`,
      [contribution, mail, state, age],
    ),
  );

const addSent = (scene: Scene, contribution: number) =>
  must(
    scene,
    `insert into posts (id, interview_id, channel, state, sent_version) overriding system value
      values ($1, $2, 'x', 'in_review', 1)`,
    [900_000 + contribution, contribution],
  );

/** Asked for by the owner; how many mails there are then. */
async function renew(scene: Scene): Promise<number> {
  await must(scene, 'select private.renew_review_link($1)', [boundId(scene)]);
  return (await mails(scene)).length;
}

const makeKey = (scene: Scene, id: number, claim = CLAIM) =>
  ask(scene, 'review_mail_key($1, $2, $3)', [id, claim, HASH]);

const SCOPE_RULES: readonly Rule[] = [
  {
    name: 'Review mails: what waits for another contribution or is another mail holds none back (posts)',
    about: REQUEST,
    check: async (scene) => {
      await prepare(scene);
      await addMail(scene, foreignId(scene), 'review', 'waiting');
      await addMail(scene, boundId(scene), 'review_reminder', 'waiting');
      await request(scene, []);
      const queued = (await mails(scene)).map((mail) => (mail as unknown[]).slice(0, 2));
      assert.deepEqual(queued.at(-1), [boundId(scene), 'review']);
    },
  },
  {
    name: 'Review mails: a mail names the posts of its own contribution, by what it is about (0263)',
    about: ['private.desk_mail_whole(private.desk_mails)'],
    check: async (scene) => {
      await prepare(scene);
      await must(scene, 'delete from posts');
      for (const [id, prefix] of [
        [boundId(scene), 'a'],
        [foreignId(scene), 'b'],
      ] as const) {
        await must(
          scene,
          `insert into posts (interview_id, channel, state, sent_version, published_at, withdrawn_at) values
            ($1, $2 || '-waits', 'in_review', 1, null, null),
            ($1, $2 || '-change', 'changes_requested', 1, null, null),
            ($1, $2 || '-stands', 'published', 1, now(), null),
            ($1, $2 || '-withdrawn', 'published', 1, now(), now()),
            ($1, $2 || '-down', 'declined', 1, now(), now())`,
          [id, prefix],
        );
        for (const mail of ['review', 'review_answer']) await addMail(scene, id, mail, 'waiting');
      }
      const told = `select jsonb_agg(jsonb_build_array(w -> 'contribution', w -> 'channels', w -> 'withdrawn')
        order by m.id) as value from private.desk_mails as m, private.desk_mail_whole(m) as w`;
      const about = (id: number, prefix: string) =>
        ['waits', 'change'].map((state) => [id, [`${prefix}-${state}`], [`${prefix}-withdrawn`]]);
      assert.deepEqual(await answer(scene, told), [...about(boundId(scene), 'a'), ...about(foreignId(scene), 'b')]);
      // Without a team the answers go to who asked for it, each to their own.
      await must(scene, `select desk_mail_configure('{}')`);
      await must(scene, `update user_roles set role = 'admin' where user_id = $1`, [getMember(scene, 'firma_a').id]);
      const asker = { [boundId(scene)]: getAdmin(scene), [foreignId(scene)]: getMember(scene, 'firma_a') };
      for (const [id, { id: account }] of Object.entries(asker))
        await must(scene, 'update private.desk_mails set asked_by = $2 where interview_id = $1', [id, account]);
      const replies = `select jsonb_object_agg(m.interview_id, private.desk_mail_whole(m) ->> 'replyTo') as value
        from private.desk_mails as m where m.mail = 'review'`;
      const expected = Object.fromEntries(Object.entries(asker).map(([id, { email }]) => [id, email]));
      assert.deepEqual(await answer(scene, replies), expected);
    },
  },
  {
    name: 'Review mails: answers go to the author, else to the assignee, else to one of the team, who may sign in (0070)',
    about: ['private.desk_mail_whole(private.desk_mails)'],
    check: async (scene) => {
      await prepare(scene);
      await must(scene, `select desk_mail_configure('{}')`);
      const [author, assignee] = [getMember(scene, 'firma_b'), getMember(scene, 'firma_a')];
      const all = [getAdmin(scene), author, assignee];
      await must(scene, `update user_roles set role = 'admin' where user_id = any ($1)`, [all.map(({ id }) => id)]);
      await must(scene, 'update private.desk_items set assignee = $2 where interview_id = $1', [
        boundId(scene),
        assignee.id,
      ]);
      await addMail(scene, boundId(scene), 'review', 'waiting');
      const readReply = () =>
        answer(scene, `select private.desk_mail_whole(m) ->> 'replyTo' as value from private.desk_mails as m`);
      const lock = (id: string) =>
        must(scene, `update auth.users set banned_until = now() + interval '1 hour' where id = $1`, [id]);
      // A contributor who asks for another link is no author.
      assert.equal(await readReply(), assignee.email);
      await must(scene, 'update private.desk_mails set asked_by = $1', [author.id]);
      assert.equal(await readReply(), author.email);
      await lock(author.id);
      assert.equal(await readReply(), assignee.email);
      await lock(assignee.id);
      assert.equal(await readReply(), getAdmin(scene).email);
      // Strangers get receipts, and no address of an administrator with them.
      await must(scene, `update private.desk_mails set mail = 'receipt'`);
      assert.equal(await readReply(), null);
      await must(scene, `update private.desk_mails set mail = 'review'`);
      await lock(getAdmin(scene).id);
      assert.equal(await readReply(), null);
    },
  },
  {
    name: 'Review mails: drafts and what another contribution sent make no review of a contribution (posts)',
    about: [...REQUEST, ...LINK],
    check: async (scene) => {
      await prepare(scene);
      await must(scene, 'delete from posts');
      assert.equal(await renew(scene), 0);
      await addPost(scene);
      assert.equal(await renew(scene), 0);
      await refusedDesk(scene, '22023', 'desk_review_request($1)', [boundId(scene)]);
      await must(scene, 'delete from posts');
      await addSent(scene, foreignId(scene));
      assert.equal(await renew(scene), 0);
      await refusedDesk(scene, '22023', 'desk_review_request($1)', [boundId(scene)]);
    },
  },
  {
    name: 'Review mails: other mails and those of other contributions count for no limit of a new link (0262)',
    about: LINK,
    check: async (scene) => {
      await prepare(scene);
      await addMail(scene, boundId(scene), 'published', 'sent');
      await addMail(scene, foreignId(scene), 'review', 'sent');
      assert.equal(await renew(scene), 2);
    },
  },
  {
    name: 'Review mails: a member gets the link of the named contribution alone, and none without a role (0262)',
    about: [OWN_LINK],
    check: async (scene) => {
      await prepare(scene);
      await addSent(scene, foreignId(scene));
      const member = getMember(scene, 'firma_b');
      await must(scene, `update interviews set user_id = $1, contact_email = 'ada@beispiel.test' where id = any ($2)`, [
        member.id,
        [boundId(scene), foreignId(scene)],
      ]);
      const asked = async () => {
        await mustWork(attempt(scene.database, login(member), 'select own_review_link($1)', [boundId(scene)]));
        return (await mails(scene)).map((mail) => (mail as unknown[])[0]);
      };
      await must(scene, 'delete from user_roles where user_id = $1', [member.id]);
      assert.deepEqual(await asked(), []);
      await must(scene, `insert into user_roles (user_id, role) values ($1, 'firma_b')`, [member.id]);
      assert.deepEqual(await asked(), [boundId(scene)]);
    },
  },
  {
    name: 'Review mails: a key is made for the mail that was named, and is written down (0243)',
    about: KEY,
    check: async (scene) => {
      await prepare(scene);
      const id = await addMail(scene, boundId(scene), 'review', 'claimed');
      await must(scene, 'update private.desk_mails set asked_by = $1', [getAdmin(scene).id]);
      assert.equal(await makeKey(scene, id + 1), false);
      assert.deepEqual(await links(scene), []);
      assert.equal(await makeKey(scene, id), true);
      assert.deepEqual(await lastLine(scene), ['review_link', boundId(scene), getAdmin(scene).id, { valid: true }]);
    },
  },
  {
    name: 'Review mails: a reminder without a post of its contribution in review goes, and no other mail (0243)',
    about: KEY,
    check: async (scene) => {
      await prepare(scene);
      await must(scene, 'delete from posts');
      await addSent(scene, foreignId(scene));
      const id = await addMail(scene, boundId(scene), 'review_reminder', 'claimed');
      const other = await addMail(scene, foreignId(scene), 'review', 'waiting');
      assert.equal(await makeKey(scene, id), false);
      assert.deepEqual(await getValues(scene, 'select id::int as value from private.desk_mails'), [other]);
    },
  },
  {
    name: 'Review mails: a request that is taken back or stopped before it was sent goes, and no other mail (posts)',
    about: ['on_post_moved', 'private.on_post_moved()'],
    check: async (scene) => {
      await prepare(scene);
      await must(scene, 'delete from posts');
      await addSent(scene, foreignId(scene));
      const [one, other] = [await addPost(scene), await addPost(scene)];
      const move = (id: number, state: string) => asDesk(scene, 'desk_post_move($1, 1, $2)', [id, state]);
      const list = () => getValues(scene, 'select id::int as value from private.desk_mails order by id');
      const others = [
        await addMail(scene, boundId(scene), 'receipt', 'waiting'),
        await addMail(scene, boundId(scene), 'review', 'sending'),
        await addMail(scene, foreignId(scene), 'review', 'waiting'),
      ];
      await must(scene, 'update private.desk_mails set asked_by = $1', [getAdmin(scene).id]);
      await request(scene, [one, other]);
      await move(one, 'draft');
      assert.equal((await list()).length, 4);
      await move(other, 'declined');
      assert.deepEqual(await list(), others);
      await request(scene, [one]);
      await must(scene, `update posts set state = 'declined' where id = $1`, [one]);
      // A no mails the team, too.
      assert.equal((await list()).length, 5);
      // The link that the contributor asks for shows what the team works on.
      await must(scene, 'update private.desk_mails set asked_by = null');
      await move(one, 'draft');
      assert.equal((await list()).length, 4);
    },
  },
  {
    name: 'Review mails: no mail brings a link after the team has revoked it, but those that are asked for (posts)',
    about: [...REMIND, 'public.desk_review_revoke(bigint)'],
    check: async (scene) => {
      await prepare(scene);
      for (const contribution of [boundId(scene), foreignId(scene)])
        await must(scene, 'insert into private.review_links (interview_id, key_hash) values ($1, sha256($2))', [
          contribution,
          Buffer.from(String(contribution)),
        ]);
      await must(scene, 'delete from posts');
      await addSent(scene, boundId(scene));
      const kept = [
        await addMail(scene, boundId(scene), 'review', 'sent', '4 days'),
        await addMail(scene, boundId(scene), 'receipt', 'waiting'),
        await addMail(scene, boundId(scene), 'review_reminder', 'sending'),
        await addMail(scene, foreignId(scene), 'review', 'waiting'),
      ];
      for (const state of ['waiting', 'claimed']) await addMail(scene, boundId(scene), 'review', state);
      await must(scene, 'update private.desk_mails set asked_by = $1', [getAdmin(scene).id]);
      // The contributor asked for this one.
      kept.push(await addMail(scene, boundId(scene), 'review', 'waiting'));
      await addMail(scene, boundId(scene), 'review_reminder', 'waiting');
      await asDesk(scene, 'desk_review_revoke($1)', [boundId(scene)]);
      const list = () => getValues(scene, 'select id::int as value from private.desk_mails order by id');
      assert.deepEqual(await list(), kept);
      await must(scene, `delete from private.desk_mails where id = $1`, [kept.at(-1)]);
      const remind = async (): Promise<number> => {
        await mustWork(attempt(scene.database, service(), `select review_remind('{3}')`));
        return (await list()).length - 4;
      };
      assert.equal(await remind(), 0);
      await must(scene, 'update private.review_links set revoked_at = null where interview_id = $1', [boundId(scene)]);
      assert.equal(await remind(), 1);
    },
  },
  {
    name: 'Review mails: each contribution that waits is reminded after its own mail (posts)',
    about: REMIND,
    check: async (scene) => {
      await prepare(scene);
      await addSent(scene, foreignId(scene));
      for (const id of [boundId(scene), foreignId(scene)]) await addMail(scene, id, 'review', 'sent', '4 days');
      await mustWork(attempt(scene.database, service(), `select review_remind('{3,7}')`));
      const reminded = `select interview_id::int as value from private.desk_mails
        where mail = 'review_reminder' order by 1`;
      const both = [boundId(scene), foreignId(scene)].toSorted((a, b) => a - b);
      assert.deepEqual(await getValues(scene, reminded), both);
    },
  },
  {
    name: 'Review mails: nobody is reminded of a contribution that the team has rejected (posts)',
    about: REMIND,
    check: async (scene) => {
      await prepare(scene);
      await addSent(scene, foreignId(scene));
      await addMail(scene, foreignId(scene), 'review', 'sent', '4 days');
      const countReminders = async (state: string) => {
        await must(scene, 'update private.desk_items set state = $2 where interview_id = $1', [
          foreignId(scene),
          state,
        ]);
        await mustWork(attempt(scene.database, service(), `select review_remind('{3,7}')`));
        return answer(scene, `select count(*)::int as value from private.desk_mails where mail = 'review_reminder'`);
      };
      assert.deepEqual([await countReminders('rejected'), await countReminders('published')], [0, 1]);
    },
  },
  {
    name: 'Review mails: a reminder counts its days from when the mail was sent, however long that waited (posts)',
    about: REMIND,
    check: async (scene) => {
      await prepare(scene);
      await must(scene, 'delete from private.desk_events');
      await must(scene, `update posts set state = 'in_review', sent_version = version where interview_id = $1`, [
        boundId(scene),
      ]);
      await addMail(scene, boundId(scene), 'review', 'sent', '9 days');
      const addSending = (contribution: number, mail: string, outcome: string, age: string) =>
        must(
          scene,
          `insert into private.desk_events (interview_id, what, before, after, at)
            values ($1, 'mail', $2, $3, now() - $4::interval)`,
          [contribution, mail, outcome, age],
        );
      const remind = async () => {
        await mustWork(attempt(scene.database, service(), `select review_remind('{3,7}')`));
        return getValues(
          scene,
          `select split_part(key, ':', 3)::int as value from private.desk_mails where mail = 'review_reminder'`,
        );
      };
      await addSending(boundId(scene), 'review', 'sent', '2 days');
      assert.deepEqual(await remind(), []);
      await must(scene, `update private.desk_events set at = now() - interval '4 days'`);
      await addSending(boundId(scene), 'review', 'refused', '0');
      await addSending(boundId(scene), 'published', 'sent', '0');
      await addSending(foreignId(scene), 'review', 'sent', '0');
      assert.deepEqual(await remind(), [3]);
    },
  },
  {
    name: 'Review mails: whose mail may not have arrived is reminded, whose mail was refused is not (posts)',
    about: REMIND,
    check: async (scene) => {
      await prepare(scene);
      await must(scene, 'delete from private.desk_events');
      await addSent(scene, foreignId(scene));
      await addMail(scene, foreignId(scene), 'review', 'refused', '4 days');
      await addMail(scene, boundId(scene), 'review', 'unsure', '9 days');
      const remind = async () => {
        await mustWork(attempt(scene.database, service(), `select review_remind('{3,7}')`));
        return getValues(
          scene,
          `select jsonb_build_array(interview_id, split_part(key, ':', 3)) as value from private.desk_mails
            where mail = 'review_reminder'`,
        );
      };
      await must(
        scene,
        `insert into private.desk_events (interview_id, what, before, after, at)
          values ($1, 'mail', 'review', 'unsure', now() - interval '4 days')`,
        [boundId(scene)],
      );
      assert.deepEqual(await remind(), [[boundId(scene), '3']]);
    },
  },
  {
    name: 'Review mails: a reminder that still waits when the next one is due goes, and no other mail (posts)',
    about: REMIND,
    check: async (scene) => {
      await prepare(scene);
      await must(scene, 'delete from private.desk_events');
      await addSent(scene, foreignId(scene));
      for (const id of [boundId(scene), foreignId(scene)]) await addMail(scene, id, 'review', 'sent', '8 days');
      const kept = [
        await addMail(scene, foreignId(scene), 'review_reminder', 'sent'),
        await addMail(scene, foreignId(scene), 'for_review', 'waiting'),
        await addMail(scene, boundId(scene), 'review_reminder', 'waiting'),
      ];
      const late = await addMail(scene, foreignId(scene), 'review_reminder', 'waiting');
      await must(scene, 'delete from posts where interview_id = $1', [boundId(scene)]);
      await mustWork(attempt(scene.database, service(), `select review_remind('{3,7}')`));
      await mustWork(attempt(scene.database, service(), `select review_remind('{3,7}')`));
      const waiting = await getValues(
        scene,
        `select id::int as value from private.desk_mails where mail <> 'review' order by id`,
      );
      assert.deepEqual([waiting.slice(0, -1), waiting.includes(late), waiting.length], [kept, false, kept.length + 1]);
    },
  },
  {
    name: 'Reviews: whether a key counts is said of the caller’s own, as long as it opens (0264)',
    about: ['public.review_key_counts()'],
    check: async (scene) => {
      const key = 'q'.repeat(43);
      const counts = (own: string) => answer(scene, 'select review_key_counts() as value', [], bearer(own));
      await must(scene, 'delete from private.review_links');
      await must(scene, 'insert into private.review_links (interview_id, key_hash) values ($1, sha256($2))', [
        boundId(scene),
        key,
      ]);
      assert.deepEqual([await counts(key), await counts('u'.repeat(43))], [true, false]);
      await must(scene, 'update private.review_links set revoked_at = now()');
      assert.equal(await counts(key), false);
      await must(scene, 'update private.review_links set revoked_at = null, expires_at = now()');
      assert.equal(await counts(key), false);
    },
  },
];

/** See locks.ts: the other connection holds rows of a prepared contribution. */
const LOCK_RULES: readonly Rule[] = [
  {
    name: 'Review mails: a new link waits for its own contribution, and for no other one',
    about: LINK,
    watches: 'these',
    check: (scene) =>
      scene.elsewhere(async (other) => {
        await other.query('begin');
        await other.query('select from interviews where id = $1 for update', [foreignId(scene)]);
        await other.query('select from private.desk_items where interview_id = $1 for update', [foreignId(scene)]);
        await must(scene, `select desk_mail_configure('{team@beispiel.test}')`);
        await must(scene, `set local lock_timeout = '100ms'`);
        await must(scene, 'select private.renew_review_link($1)', [boundId(scene)]);
        await mustBeRefused(
          scene.owner('select private.renew_review_link($1)', [foreignId(scene)]),
          LOCK_NOT_AVAILABLE,
        );
      }),
  },
  {
    name: 'Review mails: a key is that of one mail, and waits for no other contribution',
    about: KEY,
    watches: 'these',
    check: async (scene) => {
      await must(scene, 'delete from private.desk_mails');
      await addMail(scene, foreignId(scene), 'review', 'claimed');
      const id = await addMail(scene, boundId(scene), 'review', 'claimed');
      await scene.elsewhere(async (other) => {
        await other.query('begin');
        await other.query('select from private.desk_items where interview_id = $1 for no key update', [
          foreignId(scene),
        ]);
        await must(scene, `set local lock_timeout = '100ms'`);
        assert.equal(await makeKey(scene, id), true);
        assert.deepEqual(await links(scene), [[boundId(scene), HASH, true]]);
      });
    },
  },
  {
    name: 'Review mails: a key waits for another one who works on the contribution',
    about: KEY,
    watches: 'these',
    check: async (scene) => {
      // Nothing is left to remind of, so that no write below waits in its place.
      await must(scene, `update posts set state = 'draft' where interview_id = $1`, [boundId(scene)]);
      const id = await addMail(scene, boundId(scene), 'review_reminder', 'claimed');
      await scene.elsewhere(async (other) => {
        await other.query('begin');
        await other.query('select from private.desk_items where interview_id = $1 for no key update', [boundId(scene)]);
        await must(scene, `set local lock_timeout = '100ms'`);
        const made = attempt(scene.database, service(), 'select review_mail_key($1, $2, $3)', [id, CLAIM, HASH]);
        await mustBeRefused(made, LOCK_NOT_AVAILABLE);
      });
    },
  },
];

export const REVIEW_MAIL_SCOPE_RULES: readonly Rule[] = [...SCOPE_RULES, ...LOCK_RULES];
