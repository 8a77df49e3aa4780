/**
 * How somebody comes back from a mail's link, a company's login or another provider without a session: the backend says
 * it in query or fragment (supabase-contract §1.4), the screen in words of its own.
 */
export const ARRIVALS = [
  'cancelled',
  'expired',
  'no-account',
  'locked',
  'unconfirmed',
  'refused',
  /** No error: the first of the two links that change an address. */
  'other-mailbox',
] as const;
export type Arrival = (typeof ARRIVALS)[number];

const BY_CODE: Readonly<Record<string, Arrival>> = {
  user_banned: 'locked',
  signup_disabled: 'no-account',
  provider_email_needs_verification: 'unconfirmed',
  otp_expired: 'expired',
  bad_oauth_state: 'expired',
  flow_state_not_found: 'expired',
  flow_state_expired: 'expired',
  saml_relay_state_not_found: 'expired',
  saml_relay_state_expired: 'expired',
};

const LOGIN = '/login';
const ACCOUNT = '/konto';
const NEW_PASSWORD = '/passwort-neu';

/** Reads the arrival from an address and gives the address without it; undefined where there is none. */
export function arrivalAt({ pathname, search, hash }: Pick<URL, 'pathname' | 'search' | 'hash'>) {
  const fields = new Map([...new URLSearchParams(search), ...new URLSearchParams(hash.slice(1))]);
  const to = pathname === '/' ? LOGIN : pathname;
  if (to !== LOGIN && to !== ACCOUNT && to !== NEW_PASSWORD) return undefined;
  if (fields.has('error') || fields.has('error_code')) return { arrival: readError(fields), to };
  return to === ACCOUNT && fields.has('message') ? ({ arrival: 'other-mailbox', to } as const) : undefined;
}

function readError(fields: ReadonlyMap<string, string>): Arrival {
  const code = fields.get('error_code');
  if (code !== undefined) return BY_CODE[code] ?? 'refused';
  return fields.get('error') === 'access_denied' ? 'cancelled' : 'refused';
}
