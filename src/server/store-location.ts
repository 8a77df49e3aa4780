import path from 'node:path';
import type { StoreLocation } from '#backend/index.ts';
import type { Env } from './env.ts';

/** Where the environment says that files lie. */
export function storeLocation(env: Env): StoreLocation {
  const freeBytesFloor = { bytes: env.FREE_DISK_BYTES, percent: env.FREE_DISK_PERCENT };
  if (env.S3_BUCKET === undefined) return { kind: 'disk', folder: path.join(env.DATA_DIR, 'files'), freeBytesFloor };
  return {
    kind: 's3',
    freeBytesFloor,
    endpoint: env.S3_ENDPOINT,
    region: env.S3_REGION,
    bucket: env.S3_BUCKET,
    accessKeyId: env.S3_ACCESS_KEY_ID ?? '',
    secretAccessKey: env.S3_SECRET_ACCESS_KEY ?? '',
    forcePathStyle: env.S3_FORCE_PATH_STYLE,
  };
}
