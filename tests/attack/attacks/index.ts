import type { Attack } from '../attack.ts';
import { bulkMails } from './bulk-mails.ts';
import { crowdedMedia } from './crowded-media.ts';
import { cyclicEmbedding } from './cyclic-embedding.ts';
import { dnsFailure } from './dns-failure.ts';
import { endlessAnswers } from './endless-answers.ts';
import { endlessBodies } from './endless-bodies.ts';
import { fileKinds } from './file-kinds.ts';
import { bulkInserts, encodedInserts } from './guest-rows.ts';
import { halfRequests } from './half-requests.ts';
import { largeBodies } from './large-bodies.ts';
import { logTexts } from './log-texts.ts';
import { manyLogins } from './many-logins.ts';
import { manySignatures } from './many-signatures.ts';
import { recoveryBudget } from './recovery-budget.ts';
import { slowQueries } from './slow-queries.ts';
import { slowReaders } from './slow-readers.ts';
import { storageQuota } from './storage-quota.ts';
import { unfinishedUploads } from './unfinished-uploads.ts';
import { upgrades } from './upgrades.ts';
import { voicePlaces } from './voice-places.ts';

/** Worst first. */
export const ATTACKS: readonly Attack[] = [
  dnsFailure,
  upgrades,
  cyclicEmbedding,
  encodedInserts,
  bulkInserts,
  halfRequests,
  ...endlessAnswers,
  endlessBodies,
  largeBodies,
  slowQueries,
  manySignatures,
  slowReaders,
  bulkMails,
  recoveryBudget,
  voicePlaces,
  crowdedMedia,
  fileKinds,
  storageQuota,
  unfinishedUploads,
  logTexts,
  manyLogins,
];
