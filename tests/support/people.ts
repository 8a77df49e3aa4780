import { randomBytes, randomUUID } from 'node:crypto';
import { hash } from '@node-rs/bcrypt';
import type { AuthBackend } from './auth-backend.ts';

const CHEAPEST = 4;

export type Person = Readonly<{ id: string; email: string; password: string }>;

/** A confirmed account whose hash costs next to nothing: for tests that sign in many and are not about passwords. */
export async function addLightPerson(server: Pick<AuthBackend, 'service'>): Promise<Person> {
  const email = `${randomUUID()}@beispiel.test`;
  const password = randomBytes(12).toString('base64url');
  const password_hash = await hash(password, { cost: CHEAPEST });
  const { data, error } = await server.service().auth.admin.createUser({ email, password_hash, email_confirm: true });
  if (error !== null) throw error;
  return { id: data.user.id, email, password };
}

/** A confirmed account nobody is signed in to. */
export async function addPerson(server: Pick<AuthBackend, 'service'>, more: object = {}): Promise<Person> {
  const email = `${randomUUID()}@beispiel.test`;
  const password = randomBytes(12).toString('base64url');
  const { data, error } = await server
    .service()
    .auth.admin.createUser({ email, password, email_confirm: true, ...more });
  if (error !== null) throw error;
  return { id: data.user.id, email, password };
}
