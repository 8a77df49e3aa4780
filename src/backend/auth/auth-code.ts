import { createHash, randomUUID, timingSafeEqual } from 'node:crypto';
import { digestSecret, seal as sealText, unseal as unsealText } from '#lib/sealed.ts';
import type { Tx } from '../database/index.ts';
import { Text } from './body.ts';
import { invalid } from './errors.ts';
import { storeAuthCode, type FlowStateRow, type CodeChallenge } from './repository/flows.ts';

/** The provider's tokens that the client gets together with the session. */
export type ProviderTokens = Readonly<{ accessToken: string; refreshToken: string | undefined }>;

const VALID_MS = 300_000;

type AuthCodeRequest = Readonly<{ flow: FlowStateRow; userId: string; tokens?: ProviderTokens; at: Date }>;

/** Issues a code that the client exchanges for a session (`grant_type=pkce`). */
export async function issueAuthCode(tx: Tx, { flow, userId, tokens, at }: AuthCodeRequest): Promise<string> {
  const code = randomUUID();
  await storeAuthCode(tx, flow.id, {
    userId,
    codeHash: hashCode(code),
    accessToken: tokens && seal(tokens.accessToken, code),
    refreshToken: tokens?.refreshToken === undefined ? undefined : seal(tokens.refreshToken, code),
    at,
  });
  return code;
}

/** Returns undefined in the implicit flow. */
export function getCodeChallenge(flow: FlowStateRow): CodeChallenge | undefined {
  const { code_challenge: challenge, code_challenge_method: method } = flow;
  return challenge === null || method === null ? undefined : { challenge, method };
}

/** supabase-contract §1.4: five minutes; the code of a magic link counts from its issue. */
export function isFlowExpired(flow: FlowStateRow, now: number): boolean {
  const fromIssue = flow.authentication_method === 'magiclink' && flow.auth_code_issued_at !== null;
  const start = fromIssue ? (flow.auth_code_issued_at ?? flow.created_at) : flow.created_at;
  return now > start.getTime() + VALID_MS;
}

/** Part of the stored bytes; a new value would invalidate running flows. */
const PURPOSE = 'tokens of another provider';

export function hashCode(code: string): string {
  return digestSecret(code).toString('hex');
}

/** Encrypts under the code, so a copy of the table opens neither a session nor an account at another provider. */
export function seal(text: string, code: string): string {
  return sealText(code, PURPOSE, text).toString('base64url');
}

/** Throws where code and text do not belong together. */
export function unseal(sealed: string, code: string): string {
  return unsealText(code, PURPOSE, Buffer.from(sealed, 'base64url'));
}

/** The two fields of a challenge in a body or a query. */
export const CodeChallengeFields = { code_challenge: Text, code_challenge_method: Text };

type Given = Readonly<{ code_challenge: string; code_challenge_method: string }>;

const MIN_LENGTH = 43;
const MAX_LENGTH = 128;

/** Parses a PKCE challenge (supabase-contract §1.6); undefined means the implicit flow. Throws AuthError. */
export function parseCodeChallenge(given: Given): CodeChallenge | undefined {
  const { code_challenge: challenge, code_challenge_method: name } = given;
  if ((challenge === '') !== (name === '')) {
    throw invalid('PKCE flow requires code_challenge_method and code_challenge');
  }
  if (challenge === '') return undefined;
  if (challenge.length < MIN_LENGTH || challenge.length > MAX_LENGTH) {
    throw invalid(`code challenge has to be between ${MIN_LENGTH} and ${MAX_LENGTH} characters`);
  }
  if (!/^[a-zA-Z._~0-9-]+$/.test(challenge)) {
    throw invalid('code challenge can only contain alphanumeric characters, hyphens, periods, underscores and tildes');
  }
  return { challenge, method: parseMethod(name) };
}

function parseMethod(name: string): CodeChallenge['method'] {
  const method = name.toLowerCase();
  if (method !== 's256' && method !== 'plain') throw invalid('Invalid code_challenge_method');
  return method;
}

export function verifierMatches({ challenge, method }: CodeChallenge, verifier: string): boolean {
  const derived = method === 'plain' ? verifier : createHash('sha256').update(verifier).digest('base64url');
  return timingSafeEqual(digestSecret(derived), digestSecret(challenge));
}
