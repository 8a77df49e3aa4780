import { randomBytes, randomUUID } from 'node:crypto';
import { hash } from '@node-rs/bcrypt';
import type { AuthBackend } from './auth-backend.ts';

const CHEAPEST = 4;

export type Person = Readonly<{ id: string; email: string; password: string }>;

/** What a test says of the account. With `password` the server makes the hash, as dear as it makes them. */
export type PersonFacts = Readonly<{ password?: string; [field: string]: unknown }>;

/** A confirmed account nobody is signed in to. */
export async function addPerson(server: Pick<AuthBackend, 'service'>, facts: PersonFacts = {}): Promise<Person> {
  const email = `${randomUUID()}@beispiel.test`;
  const password = facts.password ?? newPassword();
  const known = facts.password === undefined ? { password_hash: await lightHash(password) } : {};
  const { data, error } = await server
    .service()
    .auth.admin.createUser({ email, email_confirm: true, ...known, ...facts });
  if (error !== null) throw error;
  return { id: data.user.id, email, password };
}

export function newPassword(): string {
  return randomBytes(12).toString('base64url');
}

/** Opens as any other does, in a hundredth of the time: for tests that are not about passwords. */
export function lightHash(password: string): Promise<string> {
  return hash(password, { cost: CHEAPEST });
}
