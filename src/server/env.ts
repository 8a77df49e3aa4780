import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import path from 'node:path';
import { domainToASCII, fileURLToPath } from 'node:url';
import { z } from 'zod';
import { AREA_IDS } from '#contract/areas.ts';
import * as limits from '#contract/limits.ts';
import { ROLES } from '#contract/roles.ts';
import { INTERVIEW_SUBJECTS } from '#contract/voice.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

const flag = (fallback: boolean) => z.stringbool().default(fallback);
const bytes = (fallback: number) => z.coerce.number().int().positive().default(fallback);
const seconds = (fallback: number) => z.coerce.number().int().min(1).max(86_400).default(fallback);
const LOGIN = 'ist keine solche Adresse (in Name und Passwort: # als %23, / als %2F, ? als %3F)';
/** An address, a network, or one of Fastify's names for networks. */
const NETWORK = /^(?:loopback|linklocal|uniquelocal|[\da-f.:]+(?:\/\d{1,3})?)$/i;
const isNetwork = (text: string): boolean => {
  const [address = '', bits = '0'] = text.split('/');
  if (!NETWORK.test(text)) return false;
  return /^[a-z]+$/.test(text) || (isIP(address) !== 0 && Number(bits) <= (isIP(address) === 4 ? 32 : 128));
};

/**
 * How many reverse proxies stand before this server, or their networks. `true` is one: a caller writes all but the last
 * address.
 */
const proxies = z.string().transform((text, context): false | number | string[] => {
  if (/^(?:false|no|off|n|disabled)$/i.test(text)) return false;
  if (/^(?:true|yes|on|y|enabled)$/i.test(text)) return 1;
  if (/^\d$/.test(text)) return Number(text) || false;
  const networks = text.split(',').map((part) => part.trim());
  if (networks.every(isNetwork)) return networks;
  context.addIssue('ist weder true, false, eine Zahl von Proxys noch eine Liste von Netzen');
  return z.NEVER;
});
/** Larger numbers do not fit into PostgreSQL's integers. */
const count = (fallback: number) => z.coerce.number().int().positive().max(1_000_000_000).default(fallback);
/** In the form in which browsers name origins: in small letters, without umlauts and the usual port. */
const httpUrl = z.url({ protocol: /^https?$/ }).transform((url) => new URL(url).href.replace(/\/+$/, ''));
const mailbox = z
  .string()
  .transform((given) => given.replace(/[^@]+$/, domainToASCII))
  .pipe(z.email());
const bucketName = z.string().regex(/^[\w.-]+$/, 'ist kein Name eines Buckets (ohne s3:// und ohne Pfad)');
const page = z.string().regex(/^(?:https?:\/\/|\/(?!\/))/i, 'beginnt weder mit https:// noch mit /');
/** A mistyped folder would be created, and the server would begin with an empty database. */
const folder = (fallback: string) =>
  z
    .string()
    .regex(/^[^\s~$](?:[^]*\S)?$/, 'beginnt mit ~ oder $, oder hat Leerzeichen am Rand')
    .default(fallback)
    .transform((given) => path.resolve(ROOT, given));
/** `wrong` matches the project's other key, by its prefix or by the role in its token. */
const projectKey = (wrong: RegExp, message: string) =>
  z
    .string()
    .refine((key) => !wrong.test(`${key} ${Buffer.from(key.split('.')[1] ?? '', 'base64url').toString()}`), message)
    .optional();

const isOrigin = (url: string): boolean => new URL(url).href === `${new URL(url).origin}/`;

/** Comma-separated. */
const list = z
  .string()
  .default('')
  .transform((text) => text.split(/\s*,\s*/).filter((part) => part !== ''));

/** `*`, a topic, or `area/topic` (§7: an agent per topic and per test-company topic). */
const AGENT_PLACE = new RegExp(`^(?:\\*|(?:(?:${AREA_IDS.join('|')})/)?(?:${INTERVIEW_SUBJECTS.join('|')}))$`);

const CONSENT_MAX_CHARACTERS = 20_000;

/** The text of a file (UTF-8, its ends trimmed) with its SHA-256 as version. */
const consent = z.string().transform((file, context) => {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(path.resolve(ROOT, file))).trim();
    if (text !== '' && text.length <= CONSENT_MAX_CHARACTERS)
      return { version: createHash('sha256').update(text).digest('hex'), text };
    context.addIssue(`${file} ist leer oder länger als ${CONSENT_MAX_CHARACTERS.toLocaleString('de')} Zeichen`);
  } catch {
    context.addIssue(`${file} ist nicht lesbar oder kein Text in UTF-8`);
  }
  return z.NEVER;
});

const json = z.string().transform((text, context): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    context.addIssue('ist kein JSON');
    return z.NEVER;
  }
});

/** The only reader of the environment. Each variable is described here and in the README's table. */
const EnvSchema = z.object({
  /** One process answers (decision 0299): the number that other servers take is refused instead of being ignored. */
  WORKERS: z
    .literal('1', 'gibt es nicht, ein Server ist ein Prozess; mehrere Server teilen sich DATABASE_URL')
    .optional(),
  PORT: z.coerce.number().int().min(0).max(65_535).default(3000),
  HOST: z.string().min(1).default('127.0.0.1'),
  // The application asks for its files at the root of its host.
  PUBLIC_URL: httpUrl.refine(isOrigin, 'nennt einen Pfad; die Anwendung braucht einen eigenen Rechnernamen').optional(),
  TRUST_PROXY: proxies.default(false),
  DATA_DIR: folder('data'),
  DATABASE_URL: z
    .url({ protocol: /^postgres(ql)?$/, error: LOGIN })
    // Each of the server's roles would get a database of its own name.
    .refine((url) => /^\w+:\/\/[^/?#]*\/[^/?#]/.test(url), 'nennt keine Datenbank (postgres://…@Rechner/Datenbank)')
    .optional(),
  DATABASE_POOL: z.coerce.number().int().min(2).max(200).default(10),
  DATABASE_STATEMENT_S: z.coerce.number().int().min(1).max(600).default(8),
  DATABASE_WAIT_S: z.coerce.number().int().min(1).max(600).default(10),
  // A project without files is allowed, so that nothing else tells a misspelt folder.
  SUPABASE_DIR: folder('supabase').refine((given) => existsSync(given), 'diesen Ordner gibt es nicht'),
  SUPABASE_URL: httpUrl.refine((url) => !url.endsWith('/v1'), 'nennt einen Dienst statt des Projekts').optional(),
  SUPABASE_KEY: projectKey(/^sb_secret_|"service_role"/, 'ist der geheime Schlüssel: jeder Browser läse ihn'),
  /** Of a hosted backend: accounts, the desk's mails, erasures and retention, files of reviews, checks of the setup. */
  SUPABASE_SERVICE_KEY: projectKey(/^sb_publishable_|"anon"/, 'ist der öffentliche Schlüssel'),
  /** The hosted project's PostgreSQL, only for `npm run move-to-hosted`. */
  SUPABASE_DB_URL: z.url({ protocol: /^postgres(ql)?$/, error: LOGIN }).optional(),
  /** `smtp://name:password@host:587` or `smtps://…`; unset: mails stay as files under DATA_DIR/outbox. */
  SMTP_URL: z.url({ protocol: /^smtps?$/, hostname: /./, error: LOGIN }).optional(),
  /** `name@host` or `Name <name@host>`. */
  MAIL_FROM: z
    .string()
    .max(320)
    .regex(/^([^<>\r\n]*<[^\s<>@]+@[^\s<>@]+>|[^\s<>@]+@[^\s<>@]+)$/, 'ist kein Absender')
    .optional(),
  /** Receive mails about new contributions, comma-separated; unset: every admin. */
  DESK_MAIL_TO: list.pipe(z.array(mailbox)),
  /** Seconds between two mails to the team: about new contributions, or about answers to one contribution's posts. */
  DESK_MAIL_PAUSE_S: z.coerce.number().int().min(0).max(86_400).default(limits.DESK_MAIL_PAUSE_S),
  /** Days after the mail with a review link, comma-separated; `0`: no reminders. */
  REVIEW_REMINDERS: list
    .prefault(limits.REVIEW_REMINDER_DAYS.join(','))
    .transform((days) => days.map(Number).filter((day) => day !== 0))
    .pipe(z.array(z.int().min(1).max(365))),
  /** Of one address. */
  REVIEW_LINKS_PER_HOUR: count(limits.REVIEW_LINKS_PER_HOUR),
  REVIEW_PICTURES_PER_HOUR: count(limits.REVIEW_PICTURES_PER_HOUR),
  /** Receipts that one address gets in a day; 0: none are sent. */
  RECEIPT_MAILS_PER_DAY: z.coerce.number().int().min(0).max(1_000).default(limits.RECEIPT_MAILS_PER_DAY),
  MEDIA_BUCKET_PUBLIC: flag(false),
  OPEN_CONTRIBUTIONS: flag(true),
  /** Roles whose logins count only with a second factor, comma-separated. */
  MFA_REQUIRED_ROLES: list.pipe(z.array(z.enum(ROLES))),
  /** Of one address without a login. */
  CONTRIBUTIONS_PER_HOUR: count(limits.CONTRIBUTION_LIMITS.contributionsPerHour),
  CONTRIBUTION_ROWS_PER_HOUR: count(limits.CONTRIBUTION_LIMITS.rowsPerHour),
  CONTRIBUTION_CHARACTERS_PER_HOUR: count(limits.CONTRIBUTION_LIMITS.charactersPerHour),
  /** Contributions are erased this long after they were handed in; unset: they are kept. */
  RETENTION_DAYS: z.coerce.number().int().min(1).max(36_500).optional(),
  /** Calls one address may make in 5 minutes to each group of /auth/v1; unset means supabase/config.toml's numbers. */
  AUTH_RATE_LIMIT: z.coerce.number().int().positive().optional(),
  /** Limits of one request to /rest/v1; unset means supabase/config.toml's numbers. */
  REST_ANSWER_ROWS: z.coerce.number().int().positive().optional(),
  REST_ANSWER_BYTES: z.coerce.number().int().positive().optional(),
  REST_INSERT_ROWS: z.coerce.number().int().positive().optional(),
  REST_CONCURRENT: z.coerce.number().int().positive().optional(),
  /** Bytes of answers that clients have not read, all callers together and of one. */
  REST_UNREAD_BYTES: z.coerce.number().int().positive().optional(),
  REST_UNREAD_BYTES_PER_CALLER: z.coerce.number().int().positive().optional(),
  S3_BUCKET: bucketName.optional(),
  S3_ENDPOINT: httpUrl.optional(),
  S3_REGION: z.string().min(1).default('eu-central-1'),
  S3_ACCESS_KEY_ID: z.string().min(1).optional(),
  S3_SECRET_ACCESS_KEY: z.string().min(1).optional(),
  S3_FORCE_PATH_STYLE: flag(true),
  TRANSCRIPTION_URL: httpUrl.optional(),
  TRANSCRIPTION_KEY: z.string().min(1).optional(),
  TRANSCRIPTION_MODEL: z.string().min(1).default('whisper-1'),
  TRANSCRIPTION_AUTH_HEADER: z.enum(['authorization', 'api-key']).default('authorization'),
  /** Asks the service for times (`verbose_json`), which not every model has. */
  TRANSCRIPTION_TIMES: flag(false),
  /** A folder on the web with the files of the speech models, instead of the hub. */
  SPEECH_MODELS_URL: httpUrl.optional(),
  /** Processors that a model on this machine computes with; unset: all but one. */
  SPEECH_THREADS: z.coerce.number().int().min(1).max(256).optional(),
  /** Names and technical terms that a model on this machine should know, comma-separated. */
  SPEECH_GLOSSARY: list,
  /** Stores the recording of a voice message with its transcript. */
  KEEP_RECORDINGS: flag(false),
  /** Asks for each picture and film who can be recognised. */
  IMAGE_RIGHTS: flag(true),
  /** Keeps pictures and films as they came, with place and device (decision 0266). */
  KEEP_ORIGINALS: flag(false),
  /** A file with the text that contributors agree to; unset: nothing is asked. */
  CONSENT_TEXT: consent.optional(),
  TRANSCRIPTION_DAILY_BYTES: bytes(1024 * 1024 * 1024),
  CLOUD_RECOGNITION: flag(false),
  VOICE_AGENT_URL: httpUrl.optional(),
  VOICE_AGENT_KEY: z.string().min(1).optional(),
  VOICE_AGENT_IDS: json.pipe(z.record(z.string().regex(AGENT_PLACE), z.string().min(1))).default({}),
  VOICE_ORIGINS: list.pipe(z.array(httpUrl)),
  VOICE_SESSIONS: z.coerce.number().int().min(1).default(100),
  VOICE_SESSIONS_PER_USER: z.coerce.number().int().min(1).default(2),
  /** Of guests without a login; of IPv6 a /64 is one address. */
  VOICE_SESSIONS_PER_ADDRESS: z.coerce.number().int().min(1).default(10),
  VOICE_MINUTES_PER_DAY: z.coerce.number().int().min(1).default(1_000),
  TTS_URL: httpUrl.optional(),
  TTS_KEY: z.string().min(1).optional(),
  TTS_MODEL: z.string().min(1).default('tts-1'),
  TTS_VOICE: z.string().min(1).default('alloy'),
  TTS_SAMPLE_RATE: z.coerce
    .number()
    .pipe(z.literal([8_000, 16_000, 22_050, 24_000, 44_100, 48_000]))
    .default(24_000),
  LLM_URL: httpUrl.optional(),
  LLM_KEY: z.string().min(1).optional(),
  LLM_MODEL: z.string().min(1).default('gpt-4o-mini'),
  /** Drafts that a language model writes for the desk. */
  DRAFTS_CONCURRENT: count(limits.DRAFT_LIMITS.concurrent),
  DRAFT_SECONDS: seconds(limits.DRAFT_LIMITS.seconds),
  DRAFT_SILENCE_S: seconds(limits.DRAFT_LIMITS.silenceSeconds),
  DRAFT_ANSWER_CHARACTERS: count(limits.DRAFT_LIMITS.answerCharacters),
  DRAFT_PART_CHARACTERS: z.coerce.number().int().min(1_000).max(10_000_000).default(limits.DRAFT_LIMITS.partCharacters),
  /** Receives reports of vulnerabilities, for /.well-known/security.txt: an e-mail address or an https page. */
  SECURITY_CONTACT: z
    .union([mailbox.transform((address) => `mailto:${address}`), z.url({ protocol: /^https$/ })])
    .optional(),
  BRAND_ASSOCIATION: z.string().min(1).max(80).default('Ingenieurverband'),
  BRAND_PRODUCT: z.string().min(1).max(80).default('Social-Media-Content-Assistent'),
  BRAND_IMPRINT_URL: page.default('/impressum'),
  BRAND_PRIVACY_URL: page.default('/datenschutz'),
  LIMIT_VIDEO_BYTES: bytes(limits.DEFAULT_LIMITS.videoBytes),
  LIMIT_IMAGE_BYTES: bytes(limits.DEFAULT_LIMITS.imageBytes),
  LIMIT_DOCUMENT_BYTES: bytes(limits.DEFAULT_LIMITS.documentBytes),
  LIMIT_RECORDING_BYTES: bytes(limits.DEFAULT_LIMITS.recordingBytes),
  LIMIT_TRANSCRIPT_CHARACTERS: bytes(limits.DEFAULT_LIMITS.transcriptCharacters),
  /** Uploads stop while less of the disk is free: the lesser of bytes and percent. */
  FREE_DISK_BYTES: bytes(512 * 1024 * 1024),
  FREE_DISK_PERCENT: z.coerce.number().min(0).max(100).default(5),
  UPLOAD_QUOTA_FILES: bytes(limits.DEFAULT_UPLOAD_QUOTA.files),
  UPLOAD_QUOTA_BYTES: bytes(limits.DEFAULT_UPLOAD_QUOTA.bytes),
  UPLOAD_QUOTA_NETWORK_FILES: bytes(limits.DEFAULT_UPLOAD_QUOTA.networkFiles),
  UPLOAD_QUOTA_NETWORK_BYTES: bytes(limits.DEFAULT_UPLOAD_QUOTA.networkBytes),
  /** The longest life of a signed address of a file. */
  SIGNED_URL_MAX_HOURS: z.coerce.number().positive().max(8_760).default(24),
  HEADERS_TIMEOUT_S: seconds(limits.HEADERS_TIMEOUT_S),
  BODY_TIMEOUT_S: seconds(limits.BODY_TIMEOUT_S),
  BODY_SILENCE_S: seconds(limits.BODY_SILENCE_S),
  ANSWER_SILENCE_S: seconds(limits.ANSWER_SILENCE_S),
  /** Service managers kill after 10 s and more. */
  STOP_TIMEOUT_S: seconds(9),
  /** Limits of one contribution, for every caller. */
  LIMIT_FILES: count(limits.CONTRIBUTION_LIMITS.files),
  LIMIT_TURNS: count(limits.CONTRIBUTION_LIMITS.turns),
  LIMIT_FEEDBACK: count(limits.CONTRIBUTION_LIMITS.feedback),
  LIMIT_TURN_CHARACTERS: count(limits.CONTRIBUTION_LIMITS.turnCharacters),
  LIMIT_ANSWER_CHARACTERS: count(limits.CONTRIBUTION_LIMITS.answerCharacters),
  /** auto: text on a terminal, JSON elsewhere. */
  LOG_FORMAT: z.enum(['auto', 'json', 'text']).default('auto'),
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
});

/** Every variable that the server reads. */
export const ENV_NAMES: readonly string[] = Object.keys(EnvSchema.shape);

/** With the first, the second is needed; without the bucket's name files would be kept in DATA_DIR. */
const NEEDS = [
  ['S3_BUCKET', 'S3_ACCESS_KEY_ID'],
  ['S3_BUCKET', 'S3_SECRET_ACCESS_KEY'],
  ['S3_ENDPOINT', 'S3_BUCKET'],
  ['S3_ACCESS_KEY_ID', 'S3_BUCKET'],
  ['S3_SECRET_ACCESS_KEY', 'S3_BUCKET'],
  ['VOICE_AGENT_URL', 'VOICE_AGENT_KEY'],
  ['SUPABASE_URL', 'SUPABASE_KEY'],
] as const;

const Env = EnvSchema.superRefine((env, context) => {
  for (const [given, needed] of NEEDS)
    if (env[given] !== undefined && env[needed] === undefined)
      context.addIssue({ code: 'custom', path: [needed], message: `wird gebraucht mit ${given}` });
});

export type Env = z.infer<typeof Env>;

const GERMAN = z.locales.de().localeError;

/** Throws an Error whose message names each bad variable. A value without anything but spaces counts as unset. */
export function readEnv(source: NodeJS.ProcessEnv): Env {
  const given = Object.entries(source).flatMap(([name, value = '']) =>
    // Not trimmed: an update would begin in another folder than the one with the data.
    value.trim() === '' ? [] : [[name, name === 'DATA_DIR' ? value : value.trim()] as const],
  );
  const result = Env.safeParse(Object.fromEntries(given), { error: GERMAN });
  const quoted = given.filter(([name, value]) => ENV_NAMES.includes(name) && /^(["'])[^]*\1$/.test(value));
  if (result.success && quoted.length === 0) return result.data;
  const lines = quoted.map(([name]) => `  ${name}: steht in Anführungszeichen, lass sie weg`);
  for (const { path, message } of result.error?.issues ?? []) lines.push(`  ${path.join('.')}: ${message}`);
  throw new Error(`Diese Einstellungen stimmen nicht:\n${lines.join('\n')}`);
}
