import { randomUUID } from 'node:crypto';
import type { CallerContext, Database } from '#backend/database/index.ts';
import { anon, createAccount, createAccounts, login, newKey, service, type Account, type Outcome } from './callers.ts';
import { createContribution, createInterview } from './factories.ts';
import {
  CALLERS,
  MATRIX,
  TARGETS,
  type CallerCase,
  type Expected,
  type Resource,
  type Target,
  type Verb,
} from './matrix.ts';

/**
 * What a statement is aimed at. `file` exists with its row; the statements that add use other names. `bare` has nothing
 * yet.
 */
type Aim = Readonly<{ interview: number; bare: number; file: string; user: string; bucket: string; target: Target }>;
type Statement = Readonly<{ sql: string; params: readonly unknown[] }>;

const sql = (text: string, ...params: unknown[]): Statement => ({ sql: text, params });
const attached = (table: string, insert: Statement['sql'], change: string) => ({
  select: (aim: Aim) => sql(`select * from ${table} where interview_id = $1`, aim.interview),
  insert: (aim: Aim) => sql(insert, aim.interview),
  update: (aim: Aim) => sql(`update ${table} set ${change} where interview_id = $1`, aim.interview),
  delete: (aim: Aim) => sql(`delete from ${table} where interview_id = $1`, aim.interview),
});

/** The post of a contribution that was sent for review. */
export const sentPost = (interview: number): number => 1_000_000 + interview;

const ofPost = (table: string, insert: string, change: string) => ({
  select: ({ interview }: Aim) => sql(`select * from ${table} where post_id = $1`, sentPost(interview)),
  insert: ({ interview }: Aim) => sql(insert, sentPost(interview)),
  update: ({ interview }: Aim) => sql(`update ${table} set ${change} where post_id = $1`, sentPost(interview)),
  delete: ({ interview }: Aim) => sql(`delete from ${table} where post_id = $1`, sentPost(interview)),
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
    `insert into media_uploads (interview_id, file_path, file_type)
      values ($1, $1::bigint::text || '/2_new.png', 'image/png') returning *`,
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
    insert: ({ bare }) =>
      sql(`insert into contribution_origins (interview_id, area) values ($1, 'generic') returning *`, bare),
  },
  desk_audit_log: attached(
    'desk_audit_log',
    `insert into desk_audit_log (interview_id, what) values ($1, 'view')`,
    `what = 'nothing'`,
  ),
  posts: attached('posts', `insert into posts (interview_id, channel) values ($1, 'x')`, `channel = 'website'`),
  post_versions: ofPost(
    'post_versions',
    `insert into post_versions (post_id, version, body) values ($1, 2, 'x')`,
    `body = 'x'`,
  ),
  review_answers: ofPost(
    'review_answers',
    `insert into review_answers (post_id, version, answer) values ($1, 1, 'approve')`,
    `answer = 'decline'`,
  ),
  user_roles: {
    select: ({ user }) => sql('select * from user_roles where user_id = $1', user),
    insert: ({ user }) =>
      sql(
        `insert into user_roles (user_id, role) values ($1, 'admin') on conflict (user_id) do update
          set role = 'admin'`,
        user,
      ),
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

export type MatrixCase = Readonly<{
  resource: Resource;
  verb: Verb;
  caller: CallerCase;
  who: string;
  target: Target;
  expected: Expected;
}>;

/** Each cell of the matrix that has an expectation. */
export const MATRIX_CASES: readonly MatrixCase[] = (Object.keys(MATRIX) as Resource[]).flatMap((resource) =>
  (Object.keys(MATRIX[resource]) as Verb[]).flatMap((verb) =>
    CALLERS.flatMap((caller) =>
      TARGETS.flatMap((target) => {
        const expected = MATRIX[resource][verb][caller.kind][target];
        return expected === '-' ? [] : [{ resource, verb, caller, who: caller.name, target, expected }];
      }),
    ),
  ),
);

/** Who and what the matrix speaks of. `key` is bound to `contributions.bound`. */
export type MatrixFixture = Readonly<{
  key: string;
  accounts: Readonly<Record<string, Account>>;
  /** A login without a role. */
  nobody: Account;
  other: Account;
  /** By `bound`, `foreign` or an account's id. */
  contributions: ReadonlyMap<string, number>;
  /** Interviews on which nothing hangs, by the same names. */
  bare: ReadonlyMap<string, number>;
}>;

export async function prepareMatrix(database: Database, databaseUrl: string): Promise<MatrixFixture> {
  const key = newKey();
  const accounts = await createAccounts(databaseUrl);
  const other = await createAccount(databaseUrl, 'firma_b');
  const nobody = await createAccount(databaseUrl);
  const contributions = new Map<string, number>();
  const bare = new Map<string, number>();
  async function contribute(whose: string, caller: CallerContext): Promise<void> {
    const id = await createContribution(database, caller);
    contributions.set(whose, id);
    bare.set(whose, await createInterview(database, caller));
    await database.asOwner(async (tx) => {
      await tx.query(`insert into contribution_origins (interview_id, area) values ($1, 'generic')`, [id]);
      await tx.query(`insert into desk_audit_log (interview_id, what) values ($1, 'view')`, [id]);
      await tx.query(
        `insert into posts (id, interview_id, channel, state, sent_version) overriding system value
          values ($1, $2, 'linkedin', 'in_review', 1)`,
        [sentPost(id), id],
      );
      await tx.query(`insert into post_versions (post_id, version, body) values ($1, 1, 'Text')`, [sentPost(id)]);
      await tx.query(`insert into review_answers (post_id, version, answer) values ($1, 1, 'approve')`, [sentPost(id)]);
    });
  }
  await database.asOwner((tx) => tx.query(`insert into storage.buckets (id, name) values ('Anderer', 'Anderer')`));
  await contribute('bound', anon(key));
  await contribute('foreign', login(other));
  for (const account of Object.values(accounts)) await contribute(account.id, login(account));
  return { key, accounts, nobody, other, contributions, bare };
}

function findAccount({ accounts, nobody }: MatrixFixture, caller: CallerCase): Account | undefined {
  return caller.kind === 'nobody' ? nobody : accounts[caller.role ?? ''];
}

/** Who runs the statement of a case, and the statement. */
export function planCase(fixture: MatrixFixture, one: MatrixCase): Statement & Readonly<{ context: CallerContext }> {
  const { caller, target } = one;
  const own = findAccount(fixture, caller);
  const key = caller.keyed ? fixture.key : undefined;
  const whose = target === 'own' ? (own?.id ?? '') : target;
  const interview = fixture.contributions.get(whose) ?? 0;
  const aim: Aim = {
    interview,
    bare: fixture.bare.get(whose) ?? 0,
    file: `${interview}/1700000000000_first.png`,
    user: target === 'own' ? (own?.id ?? randomUUID()) : fixture.other.id,
    bucket: target === 'own' ? 'Media' : 'Anderer',
    target,
  };
  const withoutAccount = caller.kind === 'service' ? service() : anon(key);
  return {
    ...STATEMENTS[one.resource][one.verb](aim),
    context: own === undefined ? withoutAccount : login(own, key),
  };
}

/** An outcome in the words of the matrix. */
export function summarize(outcome: Outcome): string {
  if (outcome.kind === 'refused') return outcome.code === '42501' ? 'refused' : `${outcome.code} ${outcome.message}`;
  return outcome.count > 0 ? 'rows' : 'none';
}
