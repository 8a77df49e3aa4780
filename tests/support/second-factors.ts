import type { Session, SupabaseClient } from '@supabase/supabase-js';
import { Secret, TOTP } from 'otpauth';
import type { AuthBackend } from './auth-backend.ts';
import { addPerson, type Person } from './people.ts';

export type SignedIn = Person & Readonly<{ client: SupabaseClient; session: Session }>;

/** A new person, or one we know, with a client of its own. */
export async function enter(
  server: AuthBackend,
  person?: Person,
  headers: Record<string, string> = {},
): Promise<SignedIn> {
  const who = person ?? (await addPerson(server));
  const client = server.client(headers);
  const { data, error } = await client.auth.signInWithPassword({ email: who.email, password: who.password });
  if (error !== null) throw error;
  return { ...who, client, session: data.session };
}

const STEP_MS = 30_000;

/** What an authenticator app shows now, or so many steps of 30 s later. */
export function getCode(server: Pick<AuthBackend, 'now'>, secret: string, steps = 0): string {
  return new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: server.now() + steps * STEP_MS });
}

export type App = Readonly<{ factorId: string; secret: string }>;

/** An authenticator app that is set up but has shown nothing yet. */
export async function enrolApp({ client }: Pick<SignedIn, 'client'>, friendlyName = 'App'): Promise<App> {
  const { data, error } = await client.auth.mfa.enroll({ factorType: 'totp', friendlyName });
  if (error !== null) throw error;
  return { factorId: data.id, secret: data.totp.secret };
}

/** The client's session is at aal2 afterwards; the code's step is used up. */
export async function proveApp(server: AuthBackend, { client }: Pick<SignedIn, 'client'>, app: App): Promise<void> {
  const { error } = await client.auth.mfa.challengeAndVerify({
    factorId: app.factorId,
    code: getCode(server, app.secret),
  });
  if (error !== null) throw error;
}

/** Somebody with a second factor, in a session that has shown it. */
export async function enterWithApp(server: AuthBackend, person?: Person): Promise<SignedIn & Readonly<{ app: App }>> {
  const signedIn = await enter(server, person);
  const app = await enrolApp(signedIn);
  await proveApp(server, signedIn, app);
  return { ...signedIn, app };
}
