import type { Attack } from '../attack.ts';
import { cyclicEmbedding } from './cyclic-embedding.ts';
import { dnsFailure } from './dns-failure.ts';
import { bulkInserts, encodedInserts } from './guest-rows.ts';
import { halfRequests } from './half-requests.ts';
import { upgrades } from './upgrades.ts';

/** Worst first. */
export const ATTACKS: readonly Attack[] = [
  dnsFailure,
  upgrades,
  cyclicEmbedding,
  encodedInserts,
  bulkInserts,
  halfRequests,
];
