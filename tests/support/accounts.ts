import { randomUUID } from 'node:crypto';
import type { SupabaseClient } from '@supabase/supabase-js';
import type { Role } from '#contract/roles.ts';
import type { TestServer } from './boot.ts';
import { asOwner } from './callers.ts';
import { lightHash, newPassword } from './people.ts';

export type TestUser = Readonly<{ id: string; email: string; password: string; client: SupabaseClient }>;

export type TestUserFacts = Readonly<{
  /** Without one the user has no row in user_roles. */
  role?: Role;
  email?: string;
  password?: string;
  /** Go with every call of the client. */
  headers?: Record<string, string>;
}>;

/** A confirmed account with its own signed-in supabase-js. */
export async function createUser(server: TestServer, facts: TestUserFacts = {}): Promise<TestUser> {
  const email = facts.email ?? `${randomUUID()}@beispiel.test`;
  const password = facts.password ?? newPassword();
  const password_hash = await lightHash(password);
  const made = await server.service().auth.admin.createUser({ email, password_hash, email_confirm: true });
  if (made.error !== null) throw made.error;
  const { id } = made.data.user;
  if (facts.role !== undefined) await giveRole(server, id, facts.role);
  const client = server.client(facts.headers === undefined ? {} : { headers: facts.headers });
  const entered = await client.auth.signInWithPassword({ email, password });
  if (entered.error !== null) throw entered.error;
  return { id, email, password, client };
}

async function giveRole(server: TestServer, userId: string, role: Role): Promise<void> {
  await asOwner(server.databaseUrl, (client) =>
    client.query('insert into public.user_roles (user_id, role) values ($1, $2)', [userId, role]),
  );
}
