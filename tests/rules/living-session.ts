import { strict as assert } from 'node:assert';
import { attempt, login, newKey, getRows, type Account } from '#tests/support/callers.ts';
import { getMember, mustBeRefused, mustWork, type Rule, type Scene } from './rules.ts';
import { inSession, openSessions, type Sessions } from './sessions.ts';

const ABOUT = ['private.signed_in_id()', 'private.member_id()', 'private.is_admin()', 'public.second_factor_missing()'];
const BEGIN = ['private.has_role()', 'private.on_interview_insert()'];

type Case = Readonly<{
  name: string;
  /** Of the account in the session: `$1` is the account, `$2` the session without a second factor. */
  change?: string;
  /** The session that the token names, and its level. */
  session?: 'plain' | 'strong' | 'foreign';
  aal?: string;
  factor?: 'verified';
  /** What is left: all rights, the own role alone, or nothing. */
  left: 'rights' | 'role' | 'nothing';
}>;

const CASES: readonly Case[] = [
  { name: 'a session that lives has its rights', left: 'rights' },
  { name: 'a session that has ended has none', change: 'delete from auth.sessions where id = $2', left: 'nothing' },
  {
    name: 'a session past its end has none',
    change: `update auth.sessions set not_after = now() - interval '1 second' where id = $2`,
    left: 'nothing',
  },
  {
    name: 'a session before its end has them',
    change: `update auth.sessions set not_after = now() + interval '1 hour' where id = $2`,
    left: 'rights',
  },
  { name: 'a session of another account gives none', session: 'foreign', left: 'nothing' },
  {
    name: 'a banned account has none',
    change: `update auth.users set banned_until = now() + interval '1 hour' where id = $1`,
    left: 'nothing',
  },
  {
    name: 'an account whose ban is over has them',
    change: `update auth.users set banned_until = now() - interval '1 hour' where id = $1`,
    left: 'rights',
  },
  {
    name: 'an account that was deleted has none',
    change: 'update auth.users set deleted_at = now() where id = $1',
    left: 'nothing',
  },
  { name: 'a verified second factor is asked for', factor: 'verified', left: 'role' },
  {
    name: 'the second factor of another account is not asked for',
    change: `insert into auth.mfa_factors (id, user_id, factor_type, status, created_at, updated_at)
      select gen_random_uuid(), id, 'totp', 'verified', now(), now() from auth.users where id <> $1`,
    left: 'rights',
  },
  {
    name: 'a setting of another name asks for no second factor',
    change: `insert into private.settings (name, value) values ('colours', '["firma_a", "admin"]')`,
    left: 'rights',
  },
  { name: 'the token alone does not show it', factor: 'verified', aal: 'aal2', left: 'role' },
  { name: 'the session alone does not show it', factor: 'verified', session: 'strong', left: 'role' },
  { name: 'token and session together show it', factor: 'verified', session: 'strong', aal: 'aal2', left: 'rights' },
];

async function contextFor(scene: Scene, account: Account, one: Case) {
  const sessions: Sessions = await openSessions(scene, one.factor ?? 'unverified', account);
  if (one.change !== undefined) {
    // PostgreSQL asks for the type of a parameter that the statement itself does not use.
    const types = 'select $1::uuid, $2::uuid';
    await mustWork(scene.owner(`with given as (${types}) ${one.change}`, [account.id, sessions.plain]));
  }
  return inSession(account, sessions[one.session ?? 'plain'], one.aal);
}

const memberRule = (one: Case): Rule => ({
  name: `Living session: ${one.name}, for a member (§6)`,
  about: [...ABOUT, ...BEGIN, 'public.user_roles', 'public.interviews'],
  check: async (scene) => {
    const caller = await contextFor(scene, getMember(scene, 'firma_a'), one);
    const seen = async (sql: string): Promise<number> => (await getRows(scene.database, caller, sql)).length;
    assert.equal(await seen('select from interviews'), one.left === 'rights' ? 2 : 0);
    assert.equal(await seen('select from user_roles'), one.left === 'nothing' ? 0 : 1);
    const missing = await getRows(scene.database, caller, 'select second_factor_missing() as missing');
    assert.deepEqual(missing, [{ missing: one.left === 'role' }]);
    // A key does not make up for lost rights: the contribution would belong to nobody.
    const withKey = { ...caller, headers: { 'x-interview-key': newKey() } };
    const begun = attempt(scene.database, withKey, 'insert into interviews default values returning user_id');
    if (one.left === 'rights') assert.deepEqual((await mustWork(begun)).rows, [{ user_id: withKey.claims['sub'] }]);
    else await mustBeRefused(begun, 'PT401');
  },
});

const adminRule = (one: Case): Rule => ({
  name: `Living session: ${one.name}, for an administrator (§6)`,
  about: [...ABOUT, 'private.desk_admit(text)'],
  check: async (scene) => {
    const caller = await contextFor(scene, getMember(scene, 'admin'), one);
    const asked = attempt(scene.database, caller, 'select desk_inbox()');
    if (one.left === 'rights') await mustWork(asked);
    else await mustBeRefused(asked);
  },
});

export const LIVING_SESSION_RULES: readonly Rule[] = [
  ...CASES.map(memberRule),
  ...CASES.map(adminRule),
  {
    name: 'Living session: a login without a role lacks no second factor (§6)',
    about: ABOUT,
    check: async ({ database, fixture }) => {
      const missing = await getRows(database, login(fixture.nobody), 'select second_factor_missing() as missing');
      assert.deepEqual(missing, [{ missing: false }]);
    },
  },
];
