import { unescape } from 'node:querystring';
import type { CheckErrorCode } from '#contract/setup-parts.ts';
import { getErrorCode } from '#lib/error-code.ts';
import type { Env } from '../env.ts';
import { ServiceError } from '../service-request.ts';

/** Why a check failed. `reason`: a code, or the service's own words. */
export type CheckFailure = Readonly<{ code: CheckErrorCode; reason: string | null }>;

export class CheckError extends Error {
  readonly failure: CheckFailure;
  constructor(code: CheckErrorCode, reason: string | null = null) {
    super(code);
    this.name = 'CheckError';
    this.failure = { code, reason };
  }
}

/** Node's codes of the network, of DNS and of TLS. */
const NETWORK: Readonly<Record<string, CheckErrorCode>> = {
  ENOTFOUND: 'unknown_host',
  EAI_AGAIN: 'unknown_host',
  EDNS: 'unknown_host',
  ETIMEDOUT: 'timeout',
  UND_ERR_CONNECT_TIMEOUT: 'timeout',
  UND_ERR_HEADERS_TIMEOUT: 'timeout',
  CERT_HAS_EXPIRED: 'certificate_expired',
  CERT_NOT_YET_VALID: 'certificate_untrusted',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'certificate_untrusted',
  SELF_SIGNED_CERT_IN_CHAIN: 'certificate_untrusted',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'certificate_untrusted',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'certificate_untrusted',
  ERR_TLS_CERT_ALTNAME_INVALID: 'certificate_untrusted',
  ETLS: 'tls_failed',
  EPROTO: 'tls_failed',
  ECONNREFUSED: 'unreachable',
  ECONNRESET: 'unreachable',
  EHOSTUNREACH: 'unreachable',
  ENETUNREACH: 'unreachable',
  UND_ERR_SOCKET: 'unreachable',
  ECONNECTION: 'unreachable',
  ESOCKET: 'unreachable',
};

const STATUSES: Readonly<Record<number, CheckErrorCode>> = {
  0: 'not_the_service',
  401: 'key_refused',
  403: 'key_refused',
  404: 'not_found',
  405: 'not_found',
  429: 'busy',
  507: 'disk_full',
};

const COMMANDS: Readonly<Record<string, CheckErrorCode>> = {
  'RCPT TO': 'recipient_refused',
  'MAIL FROM': 'sender_refused',
  DATA: 'mail_refused',
};

export function describeFailure(error: unknown): CheckFailure {
  if (error instanceof CheckError) return error.failure;
  if (error instanceof ServiceError) return describeStatus(error.status);
  if (isMailError(error)) return describeMailError(error);
  if (error instanceof Error && error.name === 'TimeoutError') return { code: 'timeout', reason: null };
  if (error instanceof Error && /^(?:ZodError|SyntaxError|AnswerTooLongError)$/.test(error.name)) {
    return { code: 'not_the_service', reason: null };
  }
  return describeNetworkError(error);
}

/** Shows nothing of the answer's text, which may repeat a key. */
export function describeStatus(status: number): CheckFailure {
  const code = STATUSES[status] ?? 'service_failed';
  return { code, reason: status === 0 ? null : `HTTP ${status}` };
}

/** fetch hides the network's error in its `cause`, and that of several addresses in `errors`. */
function describeNetworkError(error: unknown): CheckFailure {
  const reason = getErrorCode(error) ?? getErrorCode(getCause(error));
  if (reason === undefined) return { code: 'failed', reason: null };
  return { code: NETWORK[reason] ?? (reason.startsWith('ERR_SSL') ? 'tls_failed' : 'unreachable'), reason };
}

function getCause(error: unknown): unknown {
  return error instanceof Error ? error.cause : undefined;
}

type MailError = Error & Readonly<{ code: string; command?: unknown; response?: unknown; originalCode?: unknown }>;

function isMailError(error: unknown): error is MailError {
  return error instanceof Error && 'command' in error && getErrorCode(error) !== undefined;
}

function describeMailError({ code, command, response, originalCode }: MailError): CheckFailure {
  const words = typeof response === 'string' ? response : null;
  if (code === 'EAUTH') return { code: 'login_refused', reason: words };
  if (words !== null) return { code: COMMANDS[String(command)] ?? 'service_failed', reason: words };
  const cause = typeof originalCode === 'string' ? originalCode : code;
  return { code: NETWORK[cause] ?? NETWORK[code] ?? 'service_failed', reason: cause };
}

const REASON_CHARACTERS = 300;

/** One line of the service's words, without any secret of the configuration: a server may repeat what it was given. */
export function removeSecrets(reason: string, secrets: readonly string[]): string {
  const line = reason.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ').trim();
  return secrets
    .reduce((text, secret) => text.replaceAll(new RegExp(escapePattern(secret), 'gi'), '…'), line)
    .slice(0, REASON_CHARACTERS);
}

function escapePattern(text: string): string {
  return text.replaceAll(/[$()*+.?[\\\]^{|}]/g, '\\$&');
}

const SECRET_VARIABLES = [
  'SUPABASE_KEY',
  'SUPABASE_SERVICE_KEY',
  'S3_ACCESS_KEY_ID',
  'S3_SECRET_ACCESS_KEY',
  'TRANSCRIPTION_KEY',
  'VOICE_AGENT_KEY',
  'TTS_KEY',
  'LLM_KEY',
] as const;
const ADDRESS_VARIABLES = ['DATABASE_URL', 'SUPABASE_DB_URL', 'SMTP_URL'] as const;

/** Every secret of the environment, also as it stands in addresses and in a login of a mail server; longest first. */
export function listSecrets(env: Env): readonly string[] {
  const plain = SECRET_VARIABLES.flatMap((name) => env[name] ?? []);
  const inAddresses = ADDRESS_VARIABLES.flatMap((name) => listPasswordForms(env[name]));
  return [...plain, ...inAddresses].filter((secret) => secret !== '').toSorted((a, b) => b.length - a.length);
}

function listPasswordForms(address: string | undefined): string[] {
  if (address === undefined) return [];
  const { username, password } = new URL(address);
  if (password === '') return [];
  const [user, secret] = [unescape(username), unescape(password)];
  const encode = (text: string): string => Buffer.from(text).toString('base64');
  return [secret, password, encode(secret), encode(`\0${user}\0${secret}`), encode(`${user}\0${user}\0${secret}`)];
}
