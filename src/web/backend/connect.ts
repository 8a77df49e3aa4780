import { createClient, type SupabaseClient } from '@supabase/supabase-js';
import type { AppConfig } from '#contract/app-config.ts';
import { findAccessToken } from './access-token.ts';
import type { BackendClient } from './client.ts';
import { isLike, sessionStorageKey } from './stored-session.ts';
import { ANSWER_TIMEOUT_MS, untilAnswered } from './time-limits.ts';

/** The client of the login. Calls about a contribution go through `connectContribution`. */
export function connectBackend(config: AppConfig): BackendClient {
  const auth = { storageKey: sessionStorageKey(config.supabaseUrl) };
  const login = createClient(config.supabaseUrl, config.supabaseKey, { auth, global: { fetch: fetchInTime } });
  return { config, supabase: withLogin({ config, auth: login.auth }) };
}

/** The page of a proxy, a captive portal or a gateway without its backend is no answer, whatever its status says. */
const fetchAnswer: typeof fetch = async (input, init) => {
  const answer = await fetch(input, init);
  const type = answer.headers.get('content-type') ?? '';
  if (type.includes('html') || (!answer.ok && !type.includes('json'))) throw new TypeError('no answer of the backend');
  return answer;
};

/** A refresh has no limit: its answer is the only way to the next token, however late it comes. */
const fetchInTime: typeof fetch = async (input, init) => {
  const url = input instanceof Request ? input.url : input.toString();
  const isRefresh = url.includes('grant_type=refresh_token');
  const answer = await fetchAnswer(input, isRefresh ? init : { ...init, signal: untilAnswered() });
  const read = answer.json.bind(answer);
  return Object.assign(answer, { json: () => read().then(endByThisClock) });
};

/** A server names the end of a token by its own clock. On a device that is ahead, each call would renew the token. */
const endByThisClock = (body: unknown): unknown =>
  isLike(body, { expires_in: 0 }) ? { ...body, expires_at: Math.floor(Date.now() / 1_000) + body.expires_in } : body;

/** For the tables and functions; files have limits of their own. */
const db = { timeout: ANSWER_TIMEOUT_MS };

const contributions = new WeakMap<BackendClient, Map<string, BackendClient>>();

/**
 * The client for one contribution, with the login of `backend`: each of its calls carries the key (D9). `owner`:
 * nothing is sent with the login of anybody else.
 */
export function connectContribution(backend: BackendClient, interviewKey: string, owner?: string): BackendClient {
  const name = `${interviewKey} ${owner ?? ''}`;
  const made = contributions.get(backend) ?? new Map<string, BackendClient>();
  contributions.set(backend, made);
  const client = made.get(name) ?? makeContributionClient(backend, interviewKey, owner);
  made.set(name, client);
  return client;
}

function makeContributionClient(
  { config, guest = false, recheck, supabase: { auth } }: BackendClient,
  interviewKey: string,
  owner: string | undefined,
): BackendClient {
  const supabase = withLogin({ config, auth, guest, owner }, { 'x-interview-key': interviewKey });
  return { config, guest, supabase, interviewKey, ...(recheck && { recheck }) };
}

/** supabase-js itself falls back on the public key without a token; `getAccessToken` does so for guests only. */
function withLogin(login: Login, headers: Readonly<Record<string, string>> = {}): SupabaseClient {
  const { config, auth } = login;
  const options = { accessToken: () => getAccessToken(login), global: { headers, fetch: fetchAnswer }, db };
  return Object.assign(createClient(config.supabaseUrl, config.supabaseKey, options), { auth });
}

const guests = new WeakMap<BackendClient, BackendClient>();

/** A client that sends no login, even if somebody is logged in, and stores no session. One per backend. */
export function connectGuest(backend: BackendClient): BackendClient {
  const made = guests.get(backend);
  if (made !== undefined) return made;
  const { config } = backend;
  const auth = { storageKey: 'guest', persistSession: false, autoRefreshToken: false, detectSessionInUrl: false };
  const options = { auth, db, global: { fetch: fetchAnswer } };
  const guest = { config, guest: true, supabase: createClient(config.supabaseUrl, config.supabaseKey, options) };
  guests.set(backend, guest);
  return guest;
}

type Login = Pick<BackendClient, 'config' | 'guest'> &
  Readonly<{ auth: BackendClient['supabase']['auth']; owner?: string | undefined }>;

/**
 * Returns the access token of the login, or the public key without a login. Throws BackendError as `findAccessToken`
 * does, because a row inserted with the public key would never belong to the user.
 */
export async function getAccessToken({ config, auth, guest, owner }: Login): Promise<string> {
  const token = guest === true ? undefined : await findAccessToken({ config, supabase: { auth }, owner });
  return token ?? config.supabaseKey;
}
