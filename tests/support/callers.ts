import { randomBytes, randomUUID } from 'node:crypto';
import pg from 'pg';
import type { CallerContext, Database } from '#backend/database/index.ts';
import { ROLES, type Role } from '#contract/roles.ts';
import { isShared, withSharedClient } from './owner-connections.ts';

/** An account in auth.users; `role` is its row in user_roles, or none. */
export type Account = Readonly<{ id: string; email: string; role: Role | undefined }>;

/** A fresh 256-bit key in the form in which the browser makes it (D9). */
export function newKey(): string {
  return randomBytes(32).toString('base64url');
}

export function anon(key?: string): CallerContext {
  return context('anon', { role: 'anon' }, key);
}

export function service(): CallerContext {
  return context('service_role', { role: 'service_role' });
}

/** Claims as /auth/v1 signs them. */
export function login(account: Pick<Account, 'id' | 'email'>, key?: string): CallerContext {
  return context('authenticated', { role: 'authenticated', sub: account.id, email: account.email }, key);
}

function context(role: string, claims: CallerContext['claims'], key?: string): CallerContext {
  const headers = key === undefined ? {} : { 'x-interview-key': key };
  return { role, claims, method: 'POST', path: '/', headers };
}

/** As the owner, past every policy. */
export async function asOwner<T>(databaseUrl: string, work: (client: pg.ClientBase) => Promise<T>): Promise<T> {
  if (isShared(databaseUrl)) return withSharedClient(databaseUrl, work);
  const client = new pg.Client({ connectionString: databaseUrl });
  // Its server may stop before it has ended; a statement under way is rejected all the same.
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** An account that cannot log in with a password: for contexts made by `login`, and tokens signed by the key ring. */
export async function createAccount(databaseUrl: string, role?: Role): Promise<Account> {
  const account = {
    id: randomUUID(),
    email: `${role ?? 'ohne-rolle'}-${randomBytes(4).toString('hex')}@beispiel.test`,
  };
  await asOwner(databaseUrl, async (client) => {
    await client.query(
      `insert into auth.users (id, aud, role, email, email_confirmed_at)
        values ($1, 'authenticated', 'authenticated', $2, now())`,
      [account.id, account.email],
    );
    if (role === undefined) return;
    await client.query('insert into public.user_roles (user_id, role) values ($1, $2)', [account.id, role]);
  });
  return { ...account, role };
}

/** One account a role. */
export async function createAccounts(databaseUrl: string): Promise<Readonly<Record<Role, Account>>> {
  const accounts = await Promise.all(ROLES.map((role) => createAccount(databaseUrl, role)));
  return Object.fromEntries(accounts.map((account) => [account.role, account])) as Record<Role, Account>;
}

/** What came of a statement. `refused` carries the SQLSTATE. */
export type Outcome =
  | Readonly<{ kind: 'done'; rows: readonly pg.QueryResultRow[]; count: number }>
  | Readonly<{ kind: 'refused'; code: string | undefined; message: string }>;

/**
 * Runs one statement as that caller, in a transaction of its own. Errors of the database are an outcome, not a throw.
 */
export async function attempt(
  database: Database,
  caller: CallerContext,
  sql: string,
  params: readonly unknown[] = [],
): Promise<Outcome> {
  try {
    const result = await database.asCaller(caller, (tx) => tx.query(sql, params));
    return { kind: 'done', rows: result.rows, count: result.rowCount ?? 0 };
  } catch (error) {
    return refusal(error);
  }
}

function refusal(error: unknown): Outcome {
  if (!(error instanceof pg.DatabaseError)) throw error;
  return { kind: 'refused', code: error.code, message: error.message };
}

class Undo extends Error {
  readonly outcome: Outcome;
  constructor(outcome: Outcome) {
    super('undo');
    this.outcome = outcome;
  }
}

/** Like `attempt`, but leaves nothing behind. */
export async function probe(
  database: Database,
  caller: CallerContext,
  sql: string,
  params: readonly unknown[] = [],
): Promise<Outcome> {
  try {
    return await database.asCaller(caller, async (tx) => {
      const result = await tx.query(sql, params);
      throw new Undo({ kind: 'done', rows: result.rows, count: result.rowCount ?? 0 });
    });
  } catch (error) {
    if (error instanceof Undo) return error.outcome;
    return refusal(error);
  }
}

/** Rows of a statement that must succeed. */
export async function getRows(
  database: Database,
  caller: CallerContext,
  sql: string,
  params: readonly unknown[] = [],
): Promise<readonly pg.QueryResultRow[]> {
  return (await database.asCaller(caller, (tx) => tx.query(sql, params))).rows;
}
