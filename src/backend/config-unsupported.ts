/**
 * Upstream's keys of `[auth]` without effect here (decision 0091). A feature that a project relies on is refused where
 * it is enabled; a feature that works differently here is ignored with a log line.
 */
import { z } from 'zod';

const OTHER_TOKENS = 'access tokens of other services are not accepted';
const OTHER_HOOK = 'there is no such hook';
const BY_HOOK = 'text messages go through [auth.hook.send_sms]';
const NO_WALLETS = 'there is no sign-in with wallets';

export const REFUSED: Readonly<Record<string, string>> = {
  passkey: 'passkeys are second factors here: [auth.mfa.web_authn]',
  'hook.mfa_verification_attempt': OTHER_HOOK,
  'hook.password_verification_attempt': OTHER_HOOK,
  'hook.custom_access_token': OTHER_HOOK,
  'hook.send_email': 'mails go out through SMTP_URL',
  'hook.before_user_created': OTHER_HOOK,
  'sms.twilio': BY_HOOK,
  'sms.twilio_verify': BY_HOOK,
  'sms.messagebird': BY_HOOK,
  'sms.textlocal': BY_HOOK,
  'sms.vonage': BY_HOOK,
  'third_party.firebase': OTHER_TOKENS,
  'third_party.auth0': OTHER_TOKENS,
  'third_party.aws_cognito': OTHER_TOKENS,
  'third_party.clerk': OTHER_TOKENS,
  'third_party.workos': OTHER_TOKENS,
  'web3.solana': NO_WALLETS,
  'web3.ethereum': NO_WALLETS,
  oauth_server: 'this server is no OAuth server for others',
};

export const IGNORED: Readonly<Record<string, string>> = {
  external_url: 'PUBLIC_URL says where this server is',
  publishable_key: 'this server makes its own keys',
  secret_key: 'this server makes its own keys',
  anon_key: 'this server makes its own keys',
  service_role_key: 'this server makes its own keys',
  'email.smtp': 'SMTP_URL and MAIL_FROM name the mail server',
  'email.template': 'mails have the texts of this product',
  'email.notification': 'no mail tells of a change',
  'sms.template': 'the receiver of [auth.hook.send_sms] writes the message',
  'mfa.phone.template': 'the receiver of [auth.hook.send_sms] writes the message',
  'rate_limit.web3': NO_WALLETS,
  'sessions.tags': 'sessions have no tags',
};

/**
 * Finds the keys of a file's `[auth]` that `schema` lacks. `refused`: the reasons why the server cannot start with it;
 * `ignored`: the keys without effect, with their reasons.
 */
export function findUnsupportedKeys(auth: unknown, schema: z.ZodType) {
  const leaves = listLeaves(auth, []).filter(({ path }) => !hasKey(schema, path));
  const refused = leaves.flatMap(({ path, value }) => {
    const section = path.slice(0, -1).join('.');
    const why = path.at(-1) === 'enabled' && value === true ? REFUSED[section] : undefined;
    return why === undefined ? [] : [`[auth.${section}] enabled = true: ${why}`];
  });
  const ignored = leaves.flatMap(({ path }) => {
    if (findOwner(REFUSED, path) !== undefined) return [];
    const name = findOwner(IGNORED, path);
    return [name === undefined ? `auth.${path.join('.')}: unknown` : `auth.${name}: ${IGNORED[name] ?? ''}`];
  });
  return { refused, ignored: [...new Set(ignored)] };
}

function listLeaves(value: unknown, path: readonly string[]): Readonly<{ path: readonly string[]; value: unknown }>[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [{ path, value }];
  return Object.entries(value).flatMap(([key, item]) => listLeaves(item, [...path, key]));
}

/** Finds the key or section that contains a path. */
function findOwner(list: Readonly<Record<string, string>>, path: readonly string[]): string | undefined {
  const text = path.join('.');
  return Object.keys(list).find((name) => text === name || text.startsWith(`${name}.`));
}

function hasKey(schema: unknown, path: readonly string[]): boolean {
  const [key, ...rest] = path;
  const inner = unwrap(schema);
  if (key === undefined || !(inner instanceof z.ZodObject || inner instanceof z.ZodRecord)) return true;
  if (inner instanceof z.ZodRecord) return hasKey(inner.valueType, rest);
  return Object.hasOwn(inner.shape, key) && hasKey(inner.shape[key], rest);
}

/** Removes defaults, refinements and other wrappers of an object. */
function unwrap(schema: unknown): unknown {
  if (schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault || schema instanceof z.ZodOptional) {
    return unwrap(schema.def.innerType);
  }
  return schema instanceof z.ZodPipe ? unwrap(schema.def.in) : schema;
}
