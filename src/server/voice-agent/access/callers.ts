import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { CallerContext } from '#backend/index.ts';
import { callerOf, type CallerKeys } from '#http/caller.ts';

/** In whose name a conversation is held and its turns are written. */
export type Holder = Readonly<{
  context: CallerContext;
  /** The bearer as it came, for a hosted backend. */
  token: string | undefined;
  /** Set for a login. */
  userId: string | undefined;
  /** Counts conversations: one user, or one interview key (as a digest). */
  subject: string;
}>;

const KEY_HEADER = 'x-interview-key';

/** Undefined for whoever is neither logged in nor holds an interview key (D9). Throws TokenError. */
export async function holderOf(headers: IncomingHttpHeaders, keys: CallerKeys): Promise<Holder | undefined> {
  const caller = await callerOf(headers, keys);
  const key = headers[KEY_HEADER];
  const userId = caller.role === 'authenticated' ? claim(caller.claims, 'sub') : undefined;
  if (userId === undefined && (caller.role !== 'anon' || typeof key !== 'string')) return undefined;
  const context: CallerContext = {
    role: caller.role,
    claims: caller.claims,
    method: 'POST',
    path: '/v1/convai/conversation',
    headers: typeof key === 'string' ? { [KEY_HEADER]: key } : {},
  };
  return { context, token: caller.token, userId, subject: userId ?? digest(String(key)) };
}

function claim(claims: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const value = claims[name];
  return typeof value === 'string' ? value : undefined;
}

function digest(key: string): string {
  return createHash('sha256').update(key).digest('base64url');
}
