import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The slowest first: a long file that begins last leaves the other worker without work. */
const SLOW = [
  'wire/backup.test.ts',
  'faults/backup.test.ts',
  'faults/desk-erasure.test.ts',
  'faults/storage-memory.test.ts',
  'wire/move-to-hosted-trouble.test.ts',
  'wire/accounts-cli.test.ts',
  'faults/storage-kill.test.ts',
  'faults/storage-upload.test.ts',
  'wire/voice-spoken.test.ts',
  'faults/server-process.test.ts',
  'wire/auth-factor-guesses.test.ts',
  'wire/auth-limits.test.ts',
  'wire/desk-erasure.test.ts',
  'wire/auth-key-rotation.test.ts',
  'wire/desk-many.test.ts',
  'faults/desk-data-folder.test.ts',
  'wire/database-cluster.test.ts',
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
