import type { StorageRules } from '#backend/index.ts';
import type { Env } from './env.ts';

const HOUR_S = 3_600;

/** What this product asks of the general storage service. */
export function storageRules(env: Env): StorageRules {
  return { signedUrlMaxSeconds: env.SIGNED_URL_MAX_HOURS * HOUR_S, policyHeaders: ['x-interview-key'] };
}
