import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { CallerContext } from '#backend/database/index.ts';
import { bootServer, type TestServer } from '#tests/support/boot.ts';
import {
  anon,
  asOwner,
  createAccount,
  createAccounts,
  login,
  newKey,
  probe,
  service,
  type Account,
  type Outcome,
} from '#tests/support/callers.ts';
import { createContribution, createInterview } from '#tests/support/factories.ts';
import {
  CALLERS,
  MATRIX,
  TARGETS,
  type CallerCase,
  type Resource,
  type Target,
  type Verb,
} from '#tests/support/matrix.ts';

/** What a statement is aimed at. `file` exists with its row; the statements that add use other names. `bare` has nothing yet. */
type Aim = Readonly<{ interview: number; bare: number; file: string; user: string; bucket: string; target: Target }>;
type Statement = Readonly<{ sql: string; params: readonly unknown[] }>;

const sql = (text: string, ...params: unknown[]): Statement => ({ sql: text, params });
const attached = (table: string, insert: Statement['sql'], change: string) => ({
  select: (aim: Aim) => sql(`select * from ${table} where interview_id = $1`, aim.interview),
  insert: (aim: Aim) => sql(insert, aim.interview),
  update: (aim: Aim) => sql(`update ${table} set ${change} where interview_id = $1`, aim.interview),
  delete: (aim: Aim) => sql(`delete from ${table} where interview_id = $1`, aim.interview),
});

const STATEMENTS: Readonly<Record<Resource, Readonly<Record<Verb, (aim: Aim) => Statement>>>> = {
  interviews: {
    select: ({ interview }) => sql('select * from interviews where id = $1', interview),
    insert: ({ interview, target }) =>
      target === 'own'
        ? sql('insert into interviews (created_at) values (now()) returning *')
        : sql(`insert into interviews (id, transcript) values ($1, 'x') returning *`, interview),
    update: ({ interview }) => sql(`update interviews set transcript = 'x' where id = $1`, interview),
    delete: ({ interview }) => sql('delete from interviews where id = $1', interview),
  },
  media_uploads: attached(
    'media_uploads',
    `insert into media_uploads (interview_id, file_path, file_type) values ($1, $1::bigint::text || '/2_new.png', 'image/png') returning *`,
    `file_type = 'text/html'`,
  ),
  interview_turns: attached(
    'interview_turns',
    `insert into interview_turns (interview_id, position, speaker, content) values ($1, 1, 'user', 'Ja') returning *`,
    `content = 'x'`,
  ),
  feedback: attached(
    'feedback',
    `insert into feedback (interview_id, event_id, score) values ($1, 2, 'dislike') returning *`,
    `score = 'dislike'`,
  ),
  contribution_origins: {
    ...attached('contribution_origins', '', `area = 'firma-a'`),
    insert: ({ bare }) => sql(`insert into contribution_origins (interview_id, area) values ($1, 'generic') returning *`, bare), // prettier-ignore
  },
  desk_audit_log: attached(
    'desk_audit_log',
    `insert into desk_audit_log (interview_id, what) values ($1, 'view')`,
    `what = 'nothing'`,
  ),
  user_roles: {
    select: ({ user }) => sql('select * from user_roles where user_id = $1', user),
    insert: ({ user }) => sql(`insert into user_roles (user_id, role) values ($1, 'admin') on conflict (user_id) do update set role = 'admin'`, user), // prettier-ignore
    update: ({ user }) => sql(`update user_roles set role = 'admin' where user_id = $1`, user),
    delete: ({ user }) => sql('delete from user_roles where user_id = $1', user),
  },
  buckets: {
    select: ({ bucket }) => sql('select * from storage.buckets where id = $1', bucket),
    insert: () => sql(`insert into storage.buckets (id, name) values ('Neu', 'Neu')`),
    update: ({ bucket }) => sql('update storage.buckets set public = true where id = $1', bucket),
    delete: ({ bucket }) => sql('delete from storage.buckets where id = $1', bucket),
  },
  objects: {
    select: ({ file }) => sql('select * from storage.objects where name = $1', file),
    insert: ({ interview }) =>
      sql(`insert into storage.objects (bucket_id, name) values ('Media', $1) returning *`, `${interview}/2_new.png`),
    update: ({ file }) => sql(`update storage.objects set user_metadata = '{}' where name = $1`, file),
    delete: ({ file }) => sql('delete from storage.objects where name = $1', file),
  },
};

const KEY = newKey();
let server: TestServer;
let nobody: Account;
let other: Account;
let accounts: Readonly<Record<string, Account>>;
const contributions = new Map<string, number>();
const bare = new Map<string, number>();

async function contribute(whose: string, caller: CallerContext): Promise<void> {
  const id = await createContribution(server.backend.database, caller);
  contributions.set(whose, id);
  bare.set(whose, await createInterview(server.backend.database, caller));
  await asOwner(server.databaseUrl, async (client) => {
    await client.query(`insert into contribution_origins (interview_id, area) values ($1, 'generic')`, [id]);
    await client.query(`insert into desk_audit_log (interview_id, what) values ($1, 'view')`, [id]);
  });
}

beforeAll(async () => {
  server = await bootServer();
  accounts = await createAccounts(server.databaseUrl);
  other = await createAccount(server.databaseUrl, 'firma_b');
  nobody = await createAccount(server.databaseUrl);
  await asOwner(server.databaseUrl, (client) =>
    client.query(`insert into storage.buckets (id, name) values ('Anderer', 'Anderer')`),
  );
  await contribute('bound', anon(KEY));
  await contribute('foreign', login(other));
  for (const account of Object.values(accounts)) await contribute(account.id, login(account));
});
afterAll(() => server.stop());

function accountOf(caller: CallerCase): Account | undefined {
  return caller.kind === 'nobody' ? nobody : accounts[caller.role ?? ''];
}

function contextOf(caller: CallerCase): CallerContext {
  const account = accountOf(caller);
  const key = caller.keyed ? KEY : undefined;
  if (account !== undefined) return login(account, key);
  return caller.kind === 'service' ? service() : anon(key);
}

function aimOf(caller: CallerCase, target: Target): Aim {
  const own = accountOf(caller);
  const whose = target === 'own' ? (own?.id ?? '') : target;
  const interview = contributions.get(whose) ?? 0;
  const user = target === 'own' ? (own?.id ?? randomUUID()) : other.id;
  const bucket = target === 'own' ? 'Media' : 'Anderer';
  return { interview, bare: bare.get(whose) ?? 0, file: `${interview}/1700000000000_first.png`, user, bucket, target };
}

function seen(outcome: Outcome): string {
  if (outcome.kind === 'refused') return outcome.code === '42501' ? 'refused' : `${outcome.code} ${outcome.message}`;
  return outcome.count > 0 ? 'rows' : 'none';
}

describe.each(Object.keys(MATRIX) as Resource[])('security.md matrix: %s', (resource) => {
  const verbs = Object.keys(MATRIX[resource]) as Verb[];
  const cases = verbs.flatMap((verb) =>
    CALLERS.flatMap((caller) =>
      TARGETS.flatMap((target) => {
        const expected = MATRIX[resource][verb][caller.kind][target];
        return expected === '-' ? [] : [{ verb, caller, who: caller.name, target, expected }];
      }),
    ),
  );
  test.each(cases)('$verb by $who, $target: $expected', async ({ verb, caller, target, expected }) => {
    const statement = STATEMENTS[resource][verb](aimOf(caller, target));
    const outcome = await probe(server.backend.database, contextOf(caller), statement.sql, statement.params);
    expect(seen(outcome)).toBe(expected);
  });
});
