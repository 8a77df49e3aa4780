import { randomUUID } from 'node:crypto';
import type { Tx } from '../../database/index.ts';
import { noteAuthCode, type FlowStateRow } from '../records/flow-states.ts';
import type { Challenge } from './challenge.ts';
import { codeDigest, seal } from './sealed.ts';

/** Tokens of another provider that the client asked for together with the session. */
export type ProviderTokens = Readonly<{ accessToken: string; refreshToken: string | undefined }>;

const VALID_MS = 300_000;

export type CodeFor = Readonly<{ flow: FlowStateRow; userId: string; tokens?: ProviderTokens; at: Date }>;

/** A code that the client exchanges for a session (`grant_type=pkce`). */
export async function issueAuthCode(tx: Tx, { flow, userId, tokens, at }: CodeFor): Promise<string> {
  const code = randomUUID();
  await noteAuthCode(tx, flow.id, {
    userId,
    codeHash: codeDigest(code),
    accessToken: tokens && seal(tokens.accessToken, code),
    refreshToken: tokens?.refreshToken === undefined ? undefined : seal(tokens.refreshToken, code),
    at,
  });
  return code;
}

/** Undefined in the implicit flow. */
export function challengeOfFlow(flow: FlowStateRow): Challenge | undefined {
  const { code_challenge: challenge, code_challenge_method: method } = flow;
  return challenge === null || method === null ? undefined : { challenge, method };
}

/** supabase-contract §1.4: five minutes; the code of a magic link counts from its issue. */
export function isFlowOver(flow: FlowStateRow, now: number): boolean {
  const fromIssue = flow.authentication_method === 'magiclink' && flow.auth_code_issued_at !== null;
  const start = fromIssue ? (flow.auth_code_issued_at ?? flow.created_at) : flow.created_at;
  return now > start.getTime() + VALID_MS;
}
