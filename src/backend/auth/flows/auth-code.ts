import { randomUUID } from 'node:crypto';
import { digestSecret, seal as sealText, unseal as unsealText } from '#lib/sealed.ts';
import type { Tx } from '../../database/index.ts';
import { storeAuthCode, type FlowStateRow } from '../repository/flows.ts';
import type { CodeChallenge } from './code-challenge.ts';

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
