import { createHash, timingSafeEqual } from 'node:crypto';
import { Text } from '../body.ts';
import { invalid } from '../errors.ts';

/** The client's PKCE challenge (RFC 7636): only the holder of its verifier gets the session. */
export type CodeChallenge = Readonly<{ challenge: string; method: ChallengeMethod }>;

type ChallengeMethod = 's256' | 'plain';

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

function parseMethod(name: string): ChallengeMethod {
  const method = name.toLowerCase();
  if (method !== 's256' && method !== 'plain') throw invalid('Invalid code_challenge_method');
  return method;
}

export function verifierMatches({ challenge, method }: CodeChallenge, verifier: string): boolean {
  const derived = method === 'plain' ? verifier : createHash('sha256').update(verifier).digest('base64url');
  return equalsInConstantTime(derived, challenge);
}

function equalsInConstantTime(a: string, b: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}
