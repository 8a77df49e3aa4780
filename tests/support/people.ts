import { randomBytes, randomUUID } from 'node:crypto';
import type { AuthBackend } from './auth-backend.ts';

export type Person = Readonly<{ id: string; email: string; password: string }>;

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
