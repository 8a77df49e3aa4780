import path from 'node:path';
import type { FastifyBaseLogger } from 'fastify';
import type { ProjectConfig } from '#backend/config.ts';
import type { AccountMailer, BackendOptions, StorageRules, StoreLocation } from '#backend/index.ts';
import type { Env } from './env.ts';

export function backendOptions(
  env: Env,
  log: FastifyBaseLogger,
  source: NodeJS.ProcessEnv,
  mailer: AccountMailer,
): BackendOptions {
  return {
    projectFolder: env.SUPABASE_DIR,
    database:
      env.DATABASE_URL === undefined
        ? { kind: 'embedded', folder: path.join(env.DATA_DIR, 'postgres') }
        : { kind: 'url', url: env.DATABASE_URL },
    store: getStoreLocation(env),
    storageRules: getStorageRules(env),
    publicUrl: env.PUBLIC_URL,
    issuer: `${env.PUBLIC_URL ?? `http://127.0.0.1:${env.PORT}`}/auth/v1`,
    env: source,
    log,
    poolSize: env.DATABASE_POOL,
    statementTimeoutMs: env.DATABASE_STATEMENT_S * 1_000,
    databaseWaitMs: env.DATABASE_WAIT_S * 1_000,
    mailer,
    configure: (config) => applyEnvironment(config, env),
  };
}

/** The environment overrides the project's file. */
function applyEnvironment(config: ProjectConfig, env: Env): ProjectConfig {
  const limit = env.AUTH_RATE_LIMIT;
  const limits =
    limit === undefined ? {} : { token_refresh: limit, sign_in_sign_ups: limit, token_verifications: limit };
  const site_url = env.PUBLIC_URL ?? config.auth.site_url;
  // Links in mails also lead back to `localhost`.
  const local = env.PUBLIC_URL === undefined ? [`http://localhost:${env.PORT}/**`] : [];
  const additional_redirect_urls = [...config.auth.additional_redirect_urls, ...local];
  const rate_limit = { ...config.auth.rate_limit, ...limits };
  const api = {
    ...config.api,
    max_answer_rows: env.REST_ANSWER_ROWS ?? config.api.max_answer_rows,
    max_answer_bytes: env.REST_ANSWER_BYTES ?? config.api.max_answer_bytes,
    max_insert_rows: env.REST_INSERT_ROWS ?? config.api.max_insert_rows,
    max_concurrent: env.REST_CONCURRENT ?? config.api.max_concurrent,
    max_unread_bytes: env.REST_UNREAD_BYTES ?? config.api.max_unread_bytes,
    max_unread_bytes_per_caller: env.REST_UNREAD_BYTES_PER_CALLER ?? config.api.max_unread_bytes_per_caller,
  };
  return { ...config, api, auth: { ...config.auth, site_url, additional_redirect_urls, rate_limit } };
}

const HOUR_S = 3_600;
/** A sender that got no answer repeats an upload and compares; that long the file stays as it came. */
const ORIGINALS_STAY_MS = HOUR_S * 1_000;
const BUCKET = 'Media';
const DOCUMENTS = ['application/*', 'text/plain'];

/** This product's limits in the general storage service. */
function getStorageRules(env: Env): StorageRules {
  return {
    signedUrlMaxSeconds: env.SIGNED_URL_MAX_HOURS * HOUR_S,
    policyHeaders: ['x-interview-key'],
    typeLimits: [
      { bucket: BUCKET, types: ['video/*'], bytes: env.LIMIT_VIDEO_BYTES },
      { bucket: BUCKET, types: ['image/*'], bytes: env.LIMIT_IMAGE_BYTES },
      { bucket: BUCKET, types: ['audio/*'], bytes: env.LIMIT_RECORDING_BYTES },
      { bucket: BUCKET, types: DOCUMENTS, bytes: env.LIMIT_DOCUMENT_BYTES },
    ],
    ...(env.KEEP_ORIGINALS
      ? {}
      : { originals: { bucket: BUCKET, types: ['image/*', 'video/*'], afterMs: ORIGINALS_STAY_MS } }),
  };
}

/** The disk or the S3 bucket for uploaded files. */
export function getStoreLocation(env: Env): StoreLocation {
  const minimumFree = { bytes: env.FREE_DISK_BYTES, percent: env.FREE_DISK_PERCENT };
  if (env.S3_BUCKET === undefined) return { kind: 'disk', folder: path.join(env.DATA_DIR, 'files'), minimumFree };
  return {
    kind: 's3',
    minimumFree,
    endpoint: env.S3_ENDPOINT,
    region: env.S3_REGION,
    bucket: env.S3_BUCKET,
    accessKeyId: env.S3_ACCESS_KEY_ID ?? '',
    secretAccessKey: env.S3_SECRET_ACCESS_KEY ?? '',
    forcePathStyle: env.S3_FORCE_PATH_STYLE,
  };
}
