import { strict as assert } from 'node:assert';
import type { CallerContext } from '#backend/database/index.ts';
import { anon, attempt, login, newKey, getRows } from '#tests/support/callers.ts';
import { CONTACT, SAVE_CONTACT, createInterview } from '#tests/support/factories.ts';
import { getId, getMember, mustBeRefused, mustWork, answer, withHeaders, type Rule, type Scene } from './rules.ts';

const BINDINGS = ['private.bound_interview_ids()', 'private.is_bound(bigint)', 'private.key_hash()'];
const INTERVIEWS = ['public.interviews', 'private.on_interview_insert()'];

const INSERT = 'insert into interviews default values';
const insertAs = (scene: Scene, caller: CallerContext, sql = INSERT, params: readonly unknown[] = []) =>
  attempt(scene.database, caller, sql, params);

const insertWithId = (scene: Scene, caller: CallerContext, id: number) =>
  insertAs(scene, caller, `insert into interviews (id, transcript) values ($1, 'wieder da')`, [id]);

const removeInterview = ({ owner }: Scene, id: number) => mustWork(owner('delete from interviews where id = $1', [id]));

/** Its key ended an hour ago. */
const endKey = ({ owner }: Scene, id: number) =>
  mustWork(owner(`update private.interview_keys set expires_at = now() - '1h'::interval where interview_id = ${id}`));

const closeContributions = ({ owner }: Scene) =>
  mustWork(owner(`select private.configure('open_contributions', 'false')`));

export const KEY_RULES: readonly Rule[] = [
  {
    name: 'Keys: one that has ended reads, changes and adds nothing (D9)',
    about: [...BINDINGS, 'public.interviews'],
    check: async (scene) => {
      const caller = anon(scene.fixture.key);
      const id = getId(scene.fixture.contributions, 'bound');
      await endKey(scene, id);
      assert.equal((await getRows(scene.database, caller, 'select from interviews where id = $1', [id])).length, 0);
      assert.equal((await mustWork(attempt(scene.database, caller, SAVE_CONTACT, [id]))).count, 0);
      await mustBeRefused(
        attempt(scene.database, caller, `insert into feedback (interview_id, event_id, score) values ($1, 9, 'like')`, [
          id,
        ]),
      );
      await removeInterview(scene, id);
      await mustBeRefused(insertWithId(scene, caller, id));
    },
  },
  {
    name: 'Keys: a row that is gone is made again by its key and by no other (D10)',
    about: BINDINGS,
    check: async (scene) => {
      const { key, contributions } = scene.fixture;
      const id = getId(contributions, 'bound');
      await removeInterview(scene, id);
      const other = newKey();
      await createInterview(scene.database, anon(other));
      await mustBeRefused(insertWithId(scene, anon(other), id));
      await mustBeRefused(insertWithId(scene, anon(key), 800_000));
      assert.equal((await mustWork(insertWithId(scene, anon(key), id))).count, 1);
    },
  },
  {
    name: 'Keys: none and one below 256 bits start no interview (D9)',
    about: [...BINDINGS, 'private.bind_issued_interview()', ...INTERVIEWS],
    check: async (scene) => {
      await mustBeRefused(insertAs(scene, anon()));
      await mustBeRefused(insertAs(scene, anon('k'.repeat(42))));
      await mustBeRefused(insertAs(scene, login(scene.fixture.nobody)));
      await mustWork(insertAs(scene, anon('k'.repeat(43))));
    },
  },
  {
    name: 'Keys: binding without a new interview does nothing (D9)',
    about: ['private.bind_issued_interview()'],
    check: async (scene) => {
      const count = 'select count(*)::int as value from private.interview_keys';
      const before = await answer(scene, count);
      await mustWork(attempt(scene.database, anon(newKey()), 'select private.bind_issued_interview()'));
      assert.equal(await answer(scene, count), before);
    },
  },
  {
    name: 'Keys: with contributions closed only members and keys in use start interviews (D9)',
    about: ['private.bind_issued_interview()', 'private.configure(text,jsonb)'],
    check: async (scene) => {
      const fresh = newKey();
      await mustWork(insertAs(scene, anon(newKey())));
      await closeContributions(scene);
      await mustBeRefused(insertAs(scene, anon(fresh)));
      await mustBeRefused(insertAs(scene, login(scene.fixture.nobody, fresh)));
      await mustWork(insertAs(scene, anon(scene.fixture.key)));
      // A member’s key counts as well.
      const member = login(getMember(scene, 'firma_a'), fresh);
      const started = await createInterview(scene.database, member);
      assert.deepEqual(await getRows(scene.database, anon(fresh), 'select id from interviews'), [
        { id: String(started) },
      ]);
    },
  },
  {
    name: 'Keys: end 24 hours after the contact details were saved, and not later than before (D9)',
    about: ['private.on_contact_saved()', 'on_contact_saved', 'public.interviews'],
    check: async (scene) => {
      const { key, contributions, bare } = scene.fixture;
      const id = getId(contributions, 'bound');
      const left = (of: number) =>
        answer(
          scene,
          `select round(extract(epoch from expires_at - now()) / 3600)::int as value from private.interview_keys
            where interview_id = $1`,
          [of],
        );
      await mustWork(attempt(scene.database, anon(key), SAVE_CONTACT, [id]));
      assert.equal(await left(id), 24);
      assert.ok(Number(await left(getId(bare, 'bound'))) > 100);
      const soon = `update private.interview_keys set expires_at = now() + interval '1 hour' where interview_id = $1`;
      await mustWork(scene.owner(soon, [id]));
      await mustWork(attempt(scene.database, anon(key), SAVE_CONTACT, [id]));
      assert.equal(await left(id), 1);
    },
  },
  {
    name: 'Keys: a new one lasts seven days (D9)',
    about: ['private.interview_keys'],
    check: async (scene) => {
      const id = await createInterview(scene.database, anon(newKey()));
      const days = `select extract(epoch from expires_at - now())::int / 86400 as value from private.interview_keys
        where interview_id = $1`;
      assert.equal(await answer(scene, days, [id]), 7);
    },
  },
];

export const INTERVIEW_RULES: readonly Rule[] = [
  {
    name: 'Interviews: a member needs no key, and owner, address and times are the database’s (§3)',
    about: INTERVIEWS,
    check: async (scene) => {
      const member = getMember(scene, 'firma_a');
      const foreign = scene.fixture.other.id;
      const sql = `insert into interviews (user_id, user_email, created_at, completed_at)
        values ($1, 'falsch@beispiel.test', '2020-01-01', '2020-01-01')
        returning user_id, user_email, created_at = now() as created_now, completed_at = now() as completed_now`;
      const own = await getRows(scene.database, login(member), sql, [foreign]);
      assert.deepEqual(own, [{ user_id: member.id, user_email: member.email, created_now: true, completed_now: true }]);
      const guest = await getRows(scene.database, anon(newKey()), sql, [foreign]);
      assert.deepEqual(guest, [{ user_id: null, user_email: null, created_now: true, completed_now: true }]);
    },
  },
  {
    name: 'Interviews: a link closes no member’s contribution; its owner and the owner of the database may (§2.11, D9)',
    about: ['public.interviews', 'on_contact_change', 'private.on_contact_change()'],
    check: async (scene) => {
      const [owner, link] = [getMember(scene, 'firma_a'), newKey()];
      const own = await createInterview(scene.database, login(owner));
      const bind = 'insert into private.interview_keys (key_hash, interview_id) values (sha256($1), $2)';
      await mustWork(scene.owner(bind, [link, own]));
      for (const guest of [anon(link), login(scene.fixture.nobody, link), login(getMember(scene, 'firma_b'), link)]) {
        await mustBeRefused(attempt(scene.database, guest, SAVE_CONTACT, [own]));
        const merged = 'insert into interviews (id, contact_email) values ($1, $2)';
        await mustBeRefused(attempt(scene.database, guest, merged, [own, CONTACT.contact_email]));
        const transcript = `update interviews set transcript = 'Von dem Gast' where id = $1`;
        assert.equal((await mustWork(attempt(scene.database, guest, transcript, [own]))).count, 1);
      }
      await mustWork(attempt(scene.database, login(owner), SAVE_CONTACT, [own]));
      await mustWork(scene.owner('update interviews set contact_email = null where id = $1', [own]));
      // Whose role is gone is a guest with a link.
      await mustWork(scene.owner('delete from user_roles where user_id = $1', [owner.id]));
      await mustBeRefused(attempt(scene.database, login(owner, link), SAVE_CONTACT, [own]));
    },
  },
  {
    name: 'Interviews: one that is not completed has no time of it (§3)',
    about: INTERVIEWS,
    check: async (scene) => {
      const sql = `insert into interviews (transcript) values ('x') returning completed_at`;
      const rows = await getRows(scene.database, login(getMember(scene, 'firma_a')), sql);
      assert.deepEqual(rows, [{ completed_at: null }]);
    },
  },
  {
    name: 'Interviews: a login that brings an address and has no role leaves none (D14)',
    about: INTERVIEWS,
    check: async (scene) => {
      const rows = await getRows(
        scene.database,
        login(scene.fixture.nobody, newKey()),
        `${INSERT} returning user_id, user_email`,
      );
      assert.deepEqual(rows, [{ user_id: null, user_email: null }]);
    },
  },
  {
    name: 'Interviews: the owner of the database says owner and times itself (§3)',
    about: [...INTERVIEWS, 'private.on_interview_update()'],
    check: async (scene) => {
      const made = await mustWork(
        scene.owner(`insert into interviews (id, user_email, created_at, completed_at)
          values (900001, 'a@b', '2020-01-01', '2020-01-01')
          returning user_email, extract(year from created_at)::int as made, extract(year
            from completed_at)::int as done`),
      );
      assert.deepEqual(made.rows, [{ user_email: 'a@b', made: 2020, done: 2020 }]);
      const changed = await mustWork(
        scene.owner(
          `update interviews set completed_at = '2021-01-01' where id = 900001 returning extract(year
            from completed_at)::int as done`,
        ),
      );
      assert.deepEqual(changed.rows, [{ done: 2021 }]);
    },
  },
  {
    name: 'Interviews: the time of completion is the database’s (§3)',
    about: [...INTERVIEWS, 'on_interview_update', 'private.on_interview_update()'],
    check: async (scene) => {
      const id = getId(scene.fixture.contributions, 'bound');
      const sql = `update interviews set completed_at = '2020-01-01' where id = $1
        returning completed_at = now() as now`;
      assert.deepEqual(await getRows(scene.database, anon(scene.fixture.key), sql, [id]), [{ now: true }]);
    },
  },
  {
    name: 'Interviews: an explicit id merges into the caller’s row and makes no second one (D10)',
    about: INTERVIEWS,
    check: async (scene) => {
      const id = getId(scene.fixture.contributions, 'bound');
      const sql = `insert into interviews (id, contact_email) values ($1, $2) returning id`;
      assert.equal(
        (await getRows(scene.database, anon(scene.fixture.key), sql, [id, CONTACT.contact_email])).length,
        0,
      );
      assert.equal(
        await answer(scene, 'select contact_email as value from interviews where id = $1', [id]),
        CONTACT.contact_email,
      );
      const other = getId(scene.fixture.contributions, 'foreign');
      assert.equal(await answer(scene, 'select contact_email as value from interviews where id = $1', [other]), null);
    },
  },
  {
    name: 'Interviews: a member takes no id that the database has not given out (D10)',
    about: [...INTERVIEWS, 'private.is_issued(bigint)'],
    check: async (scene) => {
      await mustBeRefused(insertWithId(scene, login(getMember(scene, 'firma_a')), 800_000));
      await mustBeRefused(
        insertWithId(scene, login(getMember(scene, 'firma_a')), getId(scene.fixture.contributions, 'foreign')),
      );
    },
  },
  {
    name: 'Interviews: a member whose key is bound makes a row again that is gone (D10)',
    about: INTERVIEWS,
    check: async (scene) => {
      const { key, contributions } = scene.fixture;
      await removeInterview(scene, getId(contributions, 'bound'));
      const member = login(getMember(scene, 'firma_a'), key);
      assert.equal((await mustWork(insertWithId(scene, member, getId(contributions, 'bound')))).count, 1);
    },
  },
  ...(['key', 'member', 'no role'] as const).map((who): Rule => ({
    name: `Interviews: a change that names no row reaches only what the caller may work on, ${who} (§6)`,
    about: INTERVIEWS,
    check: async (scene) => {
      const callers = {
        key: anon(scene.fixture.key),
        member: login(getMember(scene, 'firma_a')),
        'no role': login(scene.fixture.nobody),
      };
      const changed = await mustWork(attempt(scene.database, callers[who], `update interviews set transcript = 'x'`));
      assert.equal(changed.count, who === 'no role' ? 0 : 2);
    },
  })),
  {
    name: 'Interviews: an insert sent again with its token is refused, another one is not (§7)',
    about: [
      'public.interviews',
      'on_interview_begun',
      'private.on_interview_begun()',
      'private.submission_token_hash()',
    ],
    check: async (scene) => {
      const caller = (token: string) => withHeaders(anon(scene.fixture.key), { 'x-submission-token': token });
      await mustWork(insertAs(scene, caller('a'.repeat(32))));
      await mustBeRefused(insertAs(scene, caller('a'.repeat(32))), '23505');
      await mustWork(insertAs(scene, caller('b'.repeat(32))));
      // Too short to be one of a kind.
      await mustWork(insertAs(scene, caller('c'.repeat(31))));
      await mustWork(insertAs(scene, caller('c'.repeat(31))));
    },
  },
  {
    name: 'Interviews: a token counts for a new interview only, not for one with an explicit id (§7)',
    about: ['private.on_interview_begun()', 'private.is_issued(bigint)'],
    check: async (scene) => {
      const { key, contributions } = scene.fixture;
      const caller = withHeaders(anon(key), { 'x-submission-token': 'a'.repeat(32) });
      await removeInterview(scene, getId(contributions, 'bound'));
      await mustWork(insertWithId(scene, caller, getId(contributions, 'bound')));
      await mustWork(insertAs(scene, caller));
    },
  },
];
