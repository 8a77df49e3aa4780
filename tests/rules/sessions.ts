import { strict as assert } from 'node:assert';
import { randomUUID } from 'node:crypto';
import type { CallerContext } from '#backend/database/index.ts';
import { attempt, login, getRows, type Account } from '#tests/support/callers.ts';
import { getMember, mustWork, type Rule, type Scene } from './rules.ts';

/** Three sessions: one that has shown no second factor, one that has, and one of somebody else. */
export type Sessions = Readonly<{ plain: string; strong: string; foreign: string; member: Account; other: Account }>;

export async function openSessions(
  scene: Scene,
  factor: 'verified' | 'unverified',
  member = getMember(scene, 'firma_a'),
): Promise<Sessions> {
  const sessions = { plain: randomUUID(), strong: randomUUID(), foreign: randomUUID() };
  const { other } = scene.fixture;
  await mustWork(scene.owner('delete from auth.sessions where user_id = any ($1)', [[member.id, other.id]]));
  await mustWork(
    scene.owner(
      `insert into auth.sessions (id, user_id, aal) values ($1, $4, 'aal1'), ($2, $4, 'aal2'), ($3, $5, 'aal2')`,
      [sessions.plain, sessions.strong, sessions.foreign, member.id, other.id],
    ),
  );
  await mustWork(
    scene.owner(
      `insert into auth.mfa_factors (id, user_id, factor_type, status, created_at, updated_at)
       values (gen_random_uuid(), $1, 'totp', $2, now(), now())`,
      [member.id, factor],
    ),
  );
  return { ...sessions, member, other };
}

/** A login with this session in its token. */
export function inSession(account: Account, session: string, aal = 'aal1'): CallerContext {
  const context = login(account);
  return { ...context, claims: { ...context.claims, session_id: session, aal } };
}

async function sessionsSeen(scene: Scene, context: CallerContext): Promise<string[]> {
  const rows = await getRows(scene.database, context, 'select id from my_sessions()');
  return rows.map((row) => String(row['id'])).toSorted();
}

async function endsSession(scene: Scene, context: CallerContext, session: string): Promise<unknown> {
  const rows = await getRows(scene.database, context, 'select end_session($1) as ended', [session]);
  const left = await scene.owner('select from auth.sessions where id = $1', [session]);
  return { ended: rows[0]?.['ended'], left: left.kind === 'done' ? left.count : left };
}

const ABOUT = ['public.my_sessions()', 'public.end_session(uuid)', 'private.reachable_sessions()'];

export const SESSION_RULES: readonly Rule[] = [
  {
    name: 'Sessions: without its second factor a session sees and ends only itself (§6)',
    about: ABOUT,
    check: async (scene) => {
      const { plain, strong, member } = await openSessions(scene, 'verified');
      const caller = inSession(member, plain);
      assert.deepEqual(await sessionsSeen(scene, caller), [plain]);
      assert.deepEqual(await endsSession(scene, caller, strong), { ended: false, left: 1 });
      assert.deepEqual(await endsSession(scene, caller, plain), { ended: true, left: 0 });
    },
  },
  {
    name: 'Sessions: with its second factor a session sees and ends all of its account (§6)',
    about: ABOUT,
    check: async (scene) => {
      const { plain, strong, member } = await openSessions(scene, 'verified');
      const caller = inSession(member, strong, 'aal2');
      assert.deepEqual(await sessionsSeen(scene, caller), [plain, strong].toSorted());
      assert.deepEqual(await endsSession(scene, caller, plain), { ended: true, left: 0 });
    },
  },
  {
    name: 'Sessions: a second factor counts where token and session both show it (§6)',
    about: ABOUT,
    check: async (scene) => {
      const { plain, strong, member } = await openSessions(scene, 'verified');
      assert.deepEqual(await sessionsSeen(scene, inSession(member, plain, 'aal2')), [plain]);
      assert.deepEqual(await sessionsSeen(scene, inSession(member, strong)), [strong]);
    },
  },
  {
    name: 'Sessions: the second factor of another account hides none (§6)',
    about: ABOUT,
    check: async (scene) => {
      const { plain, strong, member, other } = await openSessions(scene, 'unverified');
      const factor = `insert into auth.mfa_factors (id, user_id, factor_type, status, created_at, updated_at)
        values (gen_random_uuid(), $1, 'totp', 'verified', now(), now())`;
      await mustWork(scene.owner(factor, [other.id]));
      assert.deepEqual(await sessionsSeen(scene, inSession(member, plain)), [plain, strong].toSorted());
    },
  },
  {
    name: 'Sessions: a banned account sees and ends none (§6)',
    about: ABOUT,
    check: async (scene) => {
      const { plain, strong, member } = await openSessions(scene, 'unverified');
      await mustWork(
        scene.owner(`update auth.users set banned_until = now() + interval '1 hour' where id = $1`, [member.id]),
      );
      assert.deepEqual(await sessionsSeen(scene, inSession(member, plain)), []);
      assert.deepEqual(await endsSession(scene, inSession(member, plain), strong), { ended: false, left: 1 });
    },
  },
  {
    name: 'Sessions: an account without a verified factor sees all of its sessions (§6)',
    about: ABOUT,
    check: async (scene) => {
      const { plain, strong, member } = await openSessions(scene, 'unverified');
      assert.deepEqual(await sessionsSeen(scene, inSession(member, plain)), [plain, strong].toSorted());
    },
  },
  {
    name: 'Sessions: a session of another account is neither seen nor ended (§6)',
    about: ABOUT,
    check: async (scene) => {
      const { strong, foreign, member } = await openSessions(scene, 'verified');
      assert.deepEqual(await endsSession(scene, inSession(member, strong, 'aal2'), foreign), { ended: false, left: 1 });
      // The session in the token belongs to somebody else.
      assert.deepEqual(await sessionsSeen(scene, inSession(member, foreign, 'aal2')), []);
    },
  },
  {
    name: 'Sessions: a session that has ended sees and ends none (§6)',
    about: ABOUT,
    check: async (scene) => {
      const { strong, member } = await openSessions(scene, 'verified');
      const caller = inSession(member, randomUUID(), 'aal2');
      assert.deepEqual(await sessionsSeen(scene, caller), []);
      assert.deepEqual(await endsSession(scene, caller, strong), { ended: false, left: 1 });
    },
  },
  {
    name: 'Sessions: one past its end is not listed (§6)',
    about: ABOUT,
    check: async (scene) => {
      const { plain, strong, member } = await openSessions(scene, 'verified');
      await mustWork(
        scene.owner(`update auth.sessions set not_after = now() - interval '1 hour' where id = $1`, [plain]),
      );
      assert.deepEqual(await sessionsSeen(scene, inSession(member, strong, 'aal2')), [strong]);
    },
  },
  {
    name: 'Sessions: ending one is written to the log of the accounts (§6)',
    about: ABOUT,
    check: async (scene) => {
      const { plain, strong, member } = await openSessions(scene, 'verified');
      await mustWork(attempt(scene.database, inSession(member, strong, 'aal2'), 'select end_session($1)', [plain]));
      const logged = `select from auth.audit_log_entries
        where payload ->> 'action' = 'logout' and payload ->> 'actor_id' = $1`;
      assert.equal((await mustWork(scene.owner(logged, [member.id]))).count, 1);
    },
  },
];
