import type { IncomingHttpHeaders } from 'node:http';
import type { CallerContext } from '#backend/index.ts';
import { identifyCaller, type CallerKeys } from '#http/caller.ts';
import { TokenError } from '#http/tokens.ts';
import { digestSecret } from '#lib/sealed.ts';
import { VoiceError } from '../errors.ts';

/** The caller who holds a conversation and in whose name its turns are written. */
export type Holder = Readonly<{
  context: CallerContext;
  /** The caller's bearer token, passed on to a hosted backend. */
  token: string | undefined;
  /** Undefined without a login. */
  userId: string | undefined;
  /** The holder's identity for quota and ownership: the user, or the digest of the interview key. */
  subject: string;
}>;

const KEY_HEADER = 'x-interview-key';

/** Throws VoiceError without a login and without an interview key (D9). */
export async function requireHolder(headers: IncomingHttpHeaders, keys: CallerKeys): Promise<Holder> {
  const caller = await identifyCaller(headers, keys).catch((error: unknown) => {
    throw error instanceof TokenError ? new VoiceError('not-authenticated') : error;
  });
  const key = headers[KEY_HEADER];
  const user = caller.claims['sub'];
  const userId = caller.role === 'authenticated' && typeof user === 'string' ? user : undefined;
  if (userId === undefined && (caller.role !== 'anon' || typeof key !== 'string'))
    throw new VoiceError('not-authenticated');
  const context: CallerContext = {
    role: caller.role,
    claims: caller.claims,
    method: 'POST',
    path: '/v1/convai/conversation',
    headers: typeof key === 'string' ? { [KEY_HEADER]: key } : {},
  };
  return { context, token: caller.token, userId, subject: userId ?? digestSecret(String(key)).toString('base64url') };
}
