import { parseJson } from './parse-json.ts';
import { sessionUser, type SessionUser } from './session-state.ts';

type Stored = Readonly<{
  access_token: string;
  refresh_token: string;
  /** Seconds since 1970. */
  expires_at?: number;
  user: Readonly<{ id: string; email?: string; factors?: readonly Readonly<{ status: string }>[] }>;
}>;
const EXAMPLE: Stored = { access_token: '', refresh_token: '', user: { id: '' } };

/**
 * Where supabase-js keeps the session: its own default, named here so that it can be looked at before the client is
 * loaded.
 */
export function sessionStorageKey(supabaseUrl: string): string {
  return `sb-${new URL(supabaseUrl).hostname.split('.')[0]}-auth-token`;
}

/** Who is logged in on this origin, before the configuration says which backend counts; `live`: see below. */
export function findAnySession(now: number): 'none' | 'kept' | 'live' {
  const keys = Object.keys(localStorage).filter((key) => /^sb-.+-auth-token$/.test(key));
  if (keys.length === 0) return 'none';
  return keys.some((key) => isLive(readSession(key), now)) ? 'live' : 'kept';
}

/** The user of the stored session; the server is not asked whether it is still valid. */
export function storedUser(supabaseUrl: string): SessionUser | undefined {
  const stored = storedSession(supabaseUrl);
  return stored === undefined ? undefined : sessionUser(stored.user);
}

export function storedAccessToken(supabaseUrl: string): string | undefined {
  return storedSession(supabaseUrl)?.access_token;
}

/** supabase-js renews a token that ends within this time before it says whose it is. */
const RENEWED_BEFORE_S = 120;

/** A stored session that the client would use without a refresh. `now` in ms since 1970. */
export function storedLiveSession(supabaseUrl: string, now: number): Stored | undefined {
  const stored = storedSession(supabaseUrl);
  return isLive(stored, now) ? stored : undefined;
}

function isLive(stored: Stored | undefined, now: number): boolean {
  return typeof stored?.expires_at === 'number' && stored.expires_at - RENEWED_BEFORE_S > now / 1_000;
}

function storedSession(supabaseUrl: string): Stored | undefined {
  return readSession(sessionStorageKey(supabaseUrl));
}

function readSession(key: string): Stored | undefined {
  return readLike(localStorage, key, EXAMPLE);
}

/** A link from a mail brings a session (or an error about it) in the fragment; only the client can read it. */
export function fragmentHasSession(fragment: string): boolean {
  const fields = new URLSearchParams(fragment.replace(/^#/, ''));
  return fields.has('access_token') || fields.has('error_description');
}

/**
 * Whether a value has, wherever the example has one, a value of the same kind. For the little that is read before
 * anything else is loaded: zod would be 15 kB on the way to the login.
 */
export function isLike<Example>(value: unknown, example: Example): value is Example {
  if (typeof example !== 'object' || example === null) return typeof value === typeof example;
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(example).every(([name, part]) => isLike(Reflect.get(value, name), part));
}

/** The JSON value under a key; undefined where there is none, or one that is not like the example. */
export function readLike<Example>(storage: Storage, key: string, example: Example): Example | undefined {
  const kept = parseJson(storage.getItem(key) ?? '');
  return isLike(kept, example) ? kept : undefined;
}
