import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { createRemoteJWKSet, customFetch, decodeJwt, errors } from 'jose';
import type { ProjectConfig } from '#backend/config.ts';
import type { Backend } from '#backend/index.ts';
import { REVIEW_KEY_HEADER } from '#contract/review.ts';
import type { CallerKeys } from '#http/caller.ts';
import { readJson, readText } from '#http/limited-answer.ts';
import { cacheVerified, createTokenVerifier, TokenError, type Claims, type TokenVerifier } from '#http/tokens.ts';
import { SERVICE_LIMITS } from './service-request.ts';
import { createInterviewKeyCheck, createReviewKeyCheck, createRoleCheck, type HasRole } from './speech/index.ts';
import {
  createDatabaseTurnStore,
  createHostedTurnStore,
  type TurnStore,
  type SharedCounters,
} from './voice-agent/index.ts';

export type CaptchaConfig = ProjectConfig['auth']['captcha'];

/** The backend as this server's modules see it: the embedded one, or a hosted project (docs/architecture.md). */
export type Platform = Readonly<{
  keys: CallerKeys;
  /** Where the browser finds the backend; undefined: at the origin under which it asked us. */
  browserUrl: string | undefined;
  browserKey: string;
  /** Only for this server's work on accounts; undefined where the operator gave none. */
  serviceKey: string | undefined;
  status: () => Promise<Readonly<{ database: boolean; storage: boolean; room?: boolean }>>;
  /** PostgreSQL's own version; undefined where a hosted project has it. */
  readDatabaseVersion: (() => Promise<string>) | undefined;
  /** Mounts the backend's own routes, where it is ours to mount. */
  mount: (app: FastifyInstance) => Promise<void>;
  /** Whether the interview key among the headers opens a contribution (D9). */
  holdsContribution: (headers: IncomingHttpHeaders) => Promise<boolean>;
  /** Whether the review key among the headers opens a review. */
  holdsReview: (headers: IncomingHttpHeaders) => Promise<boolean>;
  /** Whether a login has a role (§6) and its second factor. */
  hasRole: HasRole;
  /** Removes what the store still holds under a prefix of a bucket; does nothing for a hosted project. */
  removeTraces: (bucket: string, prefix: string) => Promise<void>;
  /** Lets nothing of deleted rows stay on the disk, where the database is this server's own. */
  compact: (() => Promise<void>) | undefined;
  /** Stores the turns of voice interviews, each with the rights of the speaker (D16). */
  turns: TurnStore;
  /** Where the servers of an installation count minutes and conversations together; undefined: each for itself. */
  voiceCounters: SharedCounters | undefined;
  /** What the project's configuration says of captchas. */
  captcha: CaptchaConfig;
  passwords: PasswordRules;
}>;

/** What the project's configuration asks for with a new password: the present one, and how many characters. */
type PasswordRules = Readonly<{ currentPassword: boolean; passwordLength: number }>;

export function getPasswordRules({ security, minimum_password_length }: Backend['config']['auth']): PasswordRules {
  return {
    currentPassword: security.update_password_require_current_password,
    passwordLength: minimum_password_length,
  };
}

export function embeddedPlatform(backend: Backend): Platform {
  return {
    keys: backend.keys,
    browserUrl: undefined,
    browserKey: backend.keys.publishableKey,
    serviceKey: backend.keys.secretKey,
    status: backend.status,
    readDatabaseVersion: async () => {
      const { rows } = await backend.database.asOwner((tx) =>
        tx.query<{ version: string }>(`select current_setting('server_version') as version`),
      );
      return rows[0]?.version ?? '';
    },
    mount: backend.mount,
    holdsContribution: createInterviewKeyCheck(backend.database),
    holdsReview: createReviewKeyCheck(backend.database),
    hasRole: createRoleCheck(backend.database),
    removeTraces: backend.removeTraces,
    compact: backend.compact,
    turns: createDatabaseTurnStore(backend.database),
    voiceCounters: { database: backend.database, secret: backend.keys.secretKey },
    captcha: backend.config.auth.captcha,
    passwords: getPasswordRules(backend.config.auth),
  };
}

const TIMEOUT_MS = 5_000;
const KEY_HEADER = 'x-interview-key';

type HostedProject = Readonly<{
  url: string;
  key: string;
  serviceKey?: string | undefined;
  captcha: CaptchaConfig;
  passwords: PasswordRules;
}>;

/**
 * A hosted (or self-hosted) project. Callers touch its data with the public key and their own credentials only; with a
 * service key the server itself manages accounts, sends the desk's mails, erases, and reads the files of reviews.
 */
export function hostedPlatform({ url, key, serviceKey, ...project }: HostedProject): Platform {
  const fetchProject: FetchProject = (path, headers = {}) =>
    fetch(`${url}${path}`, { headers: { apikey: key, ...headers }, signal: AbortSignal.timeout(TIMEOUT_MS) });
  return {
    ...createRightsChecks(fetchProject),
    voiceCounters: undefined,
    ...project,
    turns: createHostedTurnStore({ url, key }),
    keys: {
      roleOfKey: (given) => (given === key ? 'anon' : undefined),
      verify: cacheVerified(createHostedVerifier(url, fetchProject)),
    },
    browserUrl: url,
    browserKey: key,
    serviceKey,
    mount: async () => undefined,
    removeTraces: async () => undefined,
    compact: undefined,
    readDatabaseVersion: undefined,
    status: async () => ({
      database: await isAnswered(fetchProject('/rest/v1/interviews?select=id&limit=1')),
      storage: await isAnswered(fetchProject('/storage/v1/bucket/Media')),
    }),
  };
}

/** Who a caller is, as the policies of the project answer it. */
function createRightsChecks(
  fetchProject: FetchProject,
): Pick<Platform, 'hasRole' | 'holdsReview' | 'holdsContribution'> {
  return {
    hasRole: async ({ token }, userId) => {
      const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
      const [roles, factor] = await Promise.all([
        fetchProject(`/rest/v1/user_roles?select=role&user_id=eq.${encodeURIComponent(userId)}`, headers),
        fetchProject('/rest/v1/rpc/second_factor_missing', headers),
      ]);
      const [hasRole, isMissing] = await Promise.all([hasRows(roles), readAnswer(factor)]);
      return hasRole && isMissing === false;
    },
    holdsReview: async (headers) => {
      const reviewKey = headers[REVIEW_KEY_HEADER];
      if (typeof reviewKey !== 'string' || reviewKey === '') return false;
      const answer = await fetchProject('/rest/v1/rpc/review_key_counts', { [REVIEW_KEY_HEADER]: reviewKey });
      return (await readAnswer(answer)) === true;
    },
    holdsContribution: async (headers) => {
      const interviewKey = headers[KEY_HEADER];
      if (typeof interviewKey !== 'string' || interviewKey === '') return false;
      return hasRows(await fetchProject('/rest/v1/interviews?select=id&limit=1', { [KEY_HEADER]: interviewKey }));
    },
  };
}

async function hasRows(response: Response): Promise<boolean> {
  const rows = await readAnswer(response);
  return Array.isArray(rows) && rows.length > 0;
}

/** Undefined for a refusal. Throws where the project is unreachable or busy, which is no refusal. */
async function readAnswer(response: Response): Promise<unknown> {
  if (response.ok) return readJson(response.body, SERVICE_LIMITS.projectBytes);
  await response.body?.cancel();
  if (response.status >= 500 || response.status === 429) throw new Error(`the project answered ${response.status}`);
  return undefined;
}

/** Keys that cannot be fetched are unknown ones: the project is asked about the token. */
async function fetchKeys(...[url, options]: Parameters<typeof fetch>): Promise<Response> {
  const answer = await fetch(url, options).catch(() => undefined);
  if (answer?.ok !== true) throw new errors.JWKSNoMatchingKey();
  return new Response(await readText(answer.body, SERVICE_LIMITS.projectKeyBytes));
}

type FetchProject = (path: string, headers?: Record<string, string>) => Promise<Response>;

/** By the project's published keys; one that still signs with a shared secret publishes none and is asked instead. */
function createHostedVerifier(url: string, fetchProject: FetchProject): TokenVerifier {
  const published = createRemoteJWKSet(new URL(`${url}/auth/v1/.well-known/jwks.json`), {
    timeoutDuration: TIMEOUT_MS,
    [customFetch]: fetchKeys,
  });
  const verify = createTokenVerifier({ own: [], trusted: published, issuer: '', audience: '' });
  return (token) => verify(token).catch((error: unknown) => askProject(error, token, fetchProject));
}

async function askProject(error: unknown, token: string, fetchProject: FetchProject): Promise<Claims> {
  if (!(error instanceof TokenError) || error.code !== 'no-key') throw error;
  const user = await readAnswer(await fetchProject('/auth/v1/user', { authorization: `Bearer ${token}` }));
  if (user === undefined) throw error;
  const claims: Claims = decodeJwt(token);
  return claims;
}

/** A refusal counts as an answer; silence and server errors do not. */
function isAnswered(response: Promise<Response>): Promise<boolean> {
  return response.then(
    async ({ body, status }) => {
      await body?.cancel();
      return status < 500;
    },
    () => false,
  );
}
