import type { StorageRules } from '#backend/index.ts';
import type { Env } from './env.ts';

const HOUR_S = 3_600;
const BUCKET = 'Media';
const DOCUMENTS = ['application/*', 'text/plain'];

/** What this product asks of the general storage service. */
export function storageRules(env: Env): StorageRules {
  return {
    signedUrlMaxSeconds: env.SIGNED_URL_MAX_HOURS * HOUR_S,
    policyHeaders: ['x-interview-key'],
    typeLimits: [
      { bucket: BUCKET, types: ['video/*'], bytes: env.LIMIT_VIDEO_BYTES },
      { bucket: BUCKET, types: ['image/*'], bytes: env.LIMIT_IMAGE_BYTES },
      { bucket: BUCKET, types: ['audio/*'], bytes: env.LIMIT_RECORDING_BYTES },
      { bucket: BUCKET, types: DOCUMENTS, bytes: env.LIMIT_DOCUMENT_BYTES },
    ],
  };
}
