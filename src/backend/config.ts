import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { parse } from 'smol-toml';
import { z } from 'zod';
import {
  Captcha,
  Hooks,
  Mfa,
  Security,
  Sessions,
  WebAuthn,
  ExternalProvider,
  Password,
  Saml,
  Sms,
  Duration,
} from './config-auth.ts';
import { findUnsupportedKeys } from './config-unsupported.ts';

const MEBIBYTE = 1024 * 1024;
const count = (fallback: number) => z.number().int().positive().default(fallback);

/** Keys of `[api]` that limit the cost of one request. Upstream has none of them. */
const ApiLimits = {
  /** How deep one relation is embedded in another: `a?select=b(c(id))` is 2 deep. */
  max_embed_depth: z.number().int().min(0).default(4),
  /** Embedded relations in one request. */
  max_embeds: z.number().int().min(0).default(10),
  /** How often a relation may repeat inside itself: `a?select=b(a(id))` is once. */
  max_embed_repeats: z.number().int().min(0).default(1),
  /** Rows of one answer, embedded rows included. */
  max_answer_rows: count(50_000),
  /** Bytes of one answer. */
  max_answer_bytes: count(8 * MEBIBYTE),
  /** Rows that one insert may bring, save with the service key. */
  max_insert_rows: count(1_000),
  /** Requests of one caller (a user, or an address without one) that run at the same time. */
  max_concurrent: count(6),
  /** The same for requests whose answer may be large, that search texts or bring large bodies. */
  max_concurrent_large: count(1),
  /** Bytes of answers that clients have not read yet; while there are as many, no further request runs. */
  max_unread_bytes: count(64 * MEBIBYTE),
  /** The same for one caller. */
  max_unread_bytes_per_caller: count(16 * MEBIBYTE),
};

const Size = z.union([z.number(), z.string()]).transform(bytes);

const Api = z.object({
  schemas: z.array(z.string()).default(['public', 'graphql_public']),
  extra_search_path: z.array(z.string()).default(['public', 'extensions']),
  max_rows: z.number().int().positive().default(1000),
  ...ApiLimits,
  /** PostgREST's `db-tx-end`: whether requests commit, and whether `Prefer: tx=` may say otherwise. */
  tx_end: z.enum(['commit', 'commit-allow-override', 'rollback', 'rollback-allow-override']).default('commit'),
});

const RateLimit = z.object({
  email_sent: z.number().int().default(30),
  sms_sent: z.number().int().default(30),
  anonymous_users: z.number().int().default(30),
  token_refresh: z.number().int().default(150),
  sign_in_sign_ups: z.number().int().default(30),
  token_verifications: z.number().int().default(30),
});

const Email = z.object({
  enable_signup: z.boolean().default(true),
  double_confirm_changes: z.boolean().default(true),
  enable_confirmations: z.boolean().default(false),
  secure_password_change: z.boolean().default(false),
  max_frequency: Duration.default('1m'),
  otp_length: z.number().int().min(6).max(10).default(6),
  otp_expiry: z.number().int().default(3600),
});

/** `[auth]`; docs/authentication.md explains every key. */
export const AuthConfig = z.object({
  enabled: z.boolean().default(true),
  site_url: z.string().default('http://127.0.0.1:3000'),
  additional_redirect_urls: z.array(z.string()).default([]),
  jwt_expiry: z.number().int().min(1).max(604_800).default(3600),
  jwt_issuer: z.string().optional(),
  /** Upstream reads it from the environment or this key; HS256 tokens are accepted only where it is set. */
  jwt_secret: z.string().optional(),
  signing_keys_path: z.string().optional(),
  enable_refresh_token_rotation: z.boolean().default(true),
  refresh_token_reuse_interval: z.number().int().min(0).default(10),
  enable_manual_linking: z.boolean().default(false),
  enable_signup: z.boolean().default(true),
  enable_anonymous_sign_ins: z.boolean().default(false),
  minimum_password_length: z.number().int().min(6).default(6),
  password_requirements: z
    .enum(['', 'letters_digits', 'lower_upper_letters_digits', 'lower_upper_letters_digits_symbols'])
    .default(''),
  password: Password.prefault({}),
  rate_limit: RateLimit.prefault({}),
  security: Security.prefault({}),
  sessions: Sessions.prefault({}),
  email: Email.prefault({}),
  sms: Sms.prefault({}),
  external: z.record(z.string(), ExternalProvider).default({}),
  saml: Saml.prefault({}),
  /**
   * Hosts (`name` or `name:port`) of this network that other providers may be at; every other must be public and https.
   */
  internal_hosts: z.array(z.string()).default([]),
  captcha: Captcha.prefault({}),
  mfa: Mfa.prefault({}),
  webauthn: WebAuthn.prefault({}),
  hook: Hooks.prefault({}),
});

const Bucket = z.object({
  public: z.boolean().default(false),
  file_size_limit: Size.optional(),
  allowed_mime_types: z.array(z.string()).optional(),
});

const Storage = z.object({
  enabled: z.boolean().default(true),
  file_size_limit: Size.prefault('50MiB'),
  buckets: z.record(z.string(), Bucket).default({}),
});

const Seed = z.object({ enabled: z.boolean().default(true), sql_paths: z.array(z.string()).default(['./seed.sql']) });

/**
 * `config.toml` of a project folder, with upstream's key names and defaults. It lists only keys that this backend acts
 * on; others are ignored, so that any project's file is accepted, except unsupported features that are enabled
 * (config-unsupported.ts).
 */
const ProjectConfigSchema = z.object({
  project_id: z.string().default('embedded'),
  api: Api.prefault({}),
  auth: AuthConfig.prefault({}),
  storage: Storage.prefault({}),
  db: z.object({ seed: Seed.prefault({}) }).prefault({}),
});

export type ProjectConfig = z.infer<typeof ProjectConfigSchema>;

/**
 * Reads `<folder>/config.toml`; a missing file means all defaults. `onIgnored` receives each key of `[auth]` without
 * effect, with the reason. Throws an Error that names the bad key.
 */
export async function readProjectConfig(
  folder: string,
  env: NodeJS.ProcessEnv,
  onIgnored?: (key: string) => void,
): Promise<ProjectConfig> {
  const file = path.join(folder, 'config.toml');
  const text = existsSync(file) ? await readFile(file, 'utf8') : '';
  const given = substitute(parse(text), env);
  const result = ProjectConfigSchema.safeParse(given);
  if (!result.success) throw new Error(`${file}:\n${z.prettifyError(result.error)}`);
  const { refused, ignored } = findUnsupportedKeys(
    z.object({ auth: z.unknown() }).safeParse(given).data?.auth,
    AuthConfig,
  );
  if (refused.length > 0)
    throw new Error(`${file}: enabled features are not supported by this server:\n${refused.join('\n')}`);
  for (const key of ignored) onIgnored?.(key);
  return result.data;
}

/** Upstream's `env(NAME)`: the whole value is taken from the environment; unset stays as written. */
function substitute(value: unknown, env: NodeJS.ProcessEnv): unknown {
  if (typeof value === 'string') {
    const name = /^env\((\w+)\)$/.exec(value)?.[1];
    return name === undefined ? value : (env[name] ?? value);
  }
  if (Array.isArray(value)) return value.map((item) => substitute(item, env));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, substitute(item, env)]));
}

const UNITS: Readonly<Record<string, number>> = { '': 1, k: 10, m: 20, g: 30, t: 40 };

/** '50MiB', '20mb', '5G', 1024 → bytes. Upstream counts in powers of 1024 for every spelling. */
function bytes(value: string | number, context: z.RefinementCtx): number {
  if (typeof value === 'number') return value;
  const match = /^\s*(\d+(?:\.\d+)?)\s*([kmgt]?)(?:i?b)?\s*$/i.exec(value);
  if (match === null) {
    context.addIssue(`not a size: ${value}`);
    return z.NEVER;
  }
  const power = UNITS[match[2]?.toLowerCase() ?? ''] ?? 1;
  return Math.round(Number(match[1]) * (power === 1 ? 1 : 2 ** power));
}
