import { strict as assert } from 'node:assert';
import pg from 'pg';
import type { CallerContext, Database } from '#backend/database/index.ts';
import type { Role } from '#contract/roles.ts';
import { asOwner, attempt, type Account, type Outcome } from '#tests/support/callers.ts';
import { prepareMatrix, type MatrixFixture } from '#tests/support/matrix-cases.ts';
import { databaseOfSavepoints } from './savepoints.ts';

/** One connection to a prepared database. Whatever a rule does through it is undone after the rule. */
export type Scene = Readonly<{
  fixture: MatrixFixture;
  /** Each transaction is a savepoint. */
  database: Database;
  /** As the owner; an error undoes this statement alone. */
  owner: (sql: string, params?: readonly unknown[]) => Promise<Outcome>;
  client: pg.ClientBase;
  /** Another connection to the same database, which sees only what is committed, and ends with `work`. */
  elsewhere: <T>(work: (other: pg.ClientBase) => Promise<T>) => Promise<T>;
}>;

/** A rule of the database: something a caller does, and what must come of it. */
export type Rule = Readonly<{
  name: string;
  /**
   * Tables, functions, policies, triggers or constraints it watches: a mutation of one of them is shown to these rules
   * first.
   */
  about: readonly string[];
  /**
   * `these`: only mutations of what stands in `about` can break it. `access`: not those of the desk's and the
   * statistics' functions.
   */
  watches?: 'these' | 'access';
  check: (scene: Scene) => Promise<void>;
}>;

/** People and contributions, committed. */
export async function prepareRules(databaseUrl: string): Promise<MatrixFixture> {
  return asOwner(databaseUrl, async (client) => {
    await client.query('begin');
    const fixture = await prepareMatrix(databaseOfSavepoints(client), databaseUrl);
    await client.query('commit');
    return fixture;
  });
}

/** Opens the transaction in which all rules run; `close` undoes it. */
export type OpenScene = Scene & Readonly<{ close: () => Promise<void> }>;

export async function openScene(databaseUrl: string, fixture: MatrixFixture): Promise<OpenScene> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  // A mutation may make a function run for ever.
  await client.query(`begin; set local statement_timeout = '8s'`);
  const database = databaseOfSavepoints(client);
  const owner = (sql: string, params: readonly unknown[] = []): Promise<Outcome> => runAsOwner(database, sql, params);
  const elsewhere: Scene['elsewhere'] = (work) => asOwner(databaseUrl, work);
  return { fixture, database, client, owner, elsewhere, close: () => client.end() };
}

async function runAsOwner(database: Database, sql: string, params: readonly unknown[]): Promise<Outcome> {
  try {
    const { rows, rowCount } = await database.asOwner((tx) => tx.query(sql, params));
    return { kind: 'done', rows, count: rowCount ?? 0 };
  } catch (error) {
    if (!(error instanceof pg.DatabaseError)) throw error;
    return { kind: 'refused', code: error.code, message: error.message };
  }
}

/** Throws what the rule throws; leaves nothing behind. */
export async function checkRule(scene: Scene, rule: Rule): Promise<void> {
  await scene.client.query('savepoint rule');
  try {
    await rule.check(scene);
  } finally {
    await scene.client.query('rollback to rule; release rule');
  }
}

/** The account of that role. */
export function getMember({ fixture }: Scene, role: Role): Account {
  const account = fixture.accounts[role];
  if (account === undefined) throw new Error(`no account with the role ${role}`);
  return account;
}

type Done = Extract<Outcome, { kind: 'done' }>;

/** Throws where the statement was refused. */
export async function mustWork(attempted: Promise<Outcome>): Promise<Done> {
  const outcome = await attempted;
  if (outcome.kind === 'refused') throw new Error(`${outcome.code}: ${outcome.message}`);
  return outcome;
}

/** Throws where the statement was not refused with this SQLSTATE. */
export async function mustBeRefused(attempted: Promise<Outcome>, code = '42501'): Promise<void> {
  const outcome = await attempted;
  assert.equal(outcome.kind === 'refused' ? outcome.code : `${outcome.count} rows`, code);
}

/** A contribution by whose it is: `bound`, `foreign` or an account's id. */
export function getId(ids: ReadonlyMap<string, number>, whose: string): number {
  const id = ids.get(whose);
  if (id === undefined) throw new Error(`no contribution of ${whose}`);
  return id;
}

export function withHeaders(context: CallerContext, headers: Readonly<Record<string, string>>): CallerContext {
  return { ...context, headers: { ...context.headers, ...headers } };
}

export function withClaims(context: CallerContext, claims: Readonly<Record<string, unknown>>): CallerContext {
  return { ...context, claims: { ...context.claims, ...claims } };
}

export const boundId = ({ fixture }: Scene): number => getId(fixture.contributions, 'bound');
export const foreignId = ({ fixture }: Scene): number => getId(fixture.contributions, 'foreign');
export const getAdmin = (scene: Scene): Account => getMember(scene, 'admin');

/** As the owner; it has to work. */
export function must({ owner }: Scene, sql: string, params: readonly unknown[] = []): Promise<Done> {
  return mustWork(owner(sql, params));
}

/** The field `value` of each row, as the owner. */
export async function getValues(scene: Scene, sql: string, params: readonly unknown[] = []): Promise<unknown[]> {
  return (await must(scene, sql, params)).rows.map((row): unknown => row['value']);
}

/** The field `value` of the only row, as the caller or as the owner. */
export async function answer(
  scene: Scene,
  sql: string,
  params: readonly unknown[] = [],
  caller?: CallerContext,
): Promise<unknown> {
  const asked = caller === undefined ? scene.owner(sql, params) : attempt(scene.database, caller, sql, params);
  return (await mustWork(asked)).rows[0]?.['value'];
}
