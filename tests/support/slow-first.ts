import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The slowest first: a long file that begins last leaves the other workers without work. */
const SLOW = [
  'wire/move-to-hosted-trouble.test.ts',
  'wire/speech-local.test.ts',
  'wire/backup.test.ts',
  'faults/desk-erasure.test.ts',
  'wire/voice-spoken.test.ts',
  'faults/backup.test.ts',
  'faults/storage-upload.test.ts',
  'faults/database-supervision.test.ts',
  'wire/desk-many.test.ts',
  'wire/move-to-hosted.test.ts',
  'faults/storage-memory.test.ts',
  'wire/accounts-cli.test.ts',
  'wire/desk-retention.test.ts',
  'faults/server-process.test.ts',
  'wire/auth-limits.test.ts',
  'wire/replaced-migrations.test.ts',
  'faults/desk-data-folder.test.ts',
  'wire/voice-local.test.ts',
  'wire/database-cluster.test.ts',
  'wire/desk-erasure.test.ts',
  'wire/unread-answers.test.ts',
  'faults/storage-kill.test.ts',
  'wire/admin-accounts.test.ts',
  'wire/connections.test.ts',
  'wire/setup-parts.test.ts',
  'wire/storage-resumable.test.ts',
  'wire/storage-resumable-lock.test.ts',
  'wire/auth-sso.test.ts',
  'faults/attack.test.ts',
];

/** On a clean clone nobody knows how long files take. */
export class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const asUsual = await BaseSequencer.prototype.sort.call(this, files);
    return asUsual.toSorted((one, other) => rank(one) - rank(other));
  }
}

function rank({ moduleId }: TestSpecification): number {
  const place = SLOW.findIndex((name) => moduleId.endsWith(`/tests/${name}`));
  return place === -1 ? SLOW.length : place;
}
