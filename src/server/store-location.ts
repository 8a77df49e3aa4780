import path from 'node:path';
import type { StoreLocation } from '#backend/index.ts';
import type { Env } from './env.ts';

/** Where the environment says that files lie. */
export function storeLocation(env: Env): StoreLocation {
  if (env.S3_BUCKET === undefined) return { kind: 'disk', folder: path.join(env.DATA_DIR, 'files') };
  return {
    kind: 's3',
    endpoint: env.S3_ENDPOINT,
    region: env.S3_REGION,
    bucket: env.S3_BUCKET,
    accessKeyId: env.S3_ACCESS_KEY_ID ?? '',
    secretAccessKey: env.S3_SECRET_ACCESS_KEY ?? '',
    forcePathStyle: env.S3_FORCE_PATH_STYLE,
  };
}
