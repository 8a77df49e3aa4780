import { expect, test } from 'vitest';
import { OldDatabaseError, requireVersion } from './version.ts';

const ofVersion = (number: string) => ({ query: async () => ({ rows: [{ number }] }) }) as never;

test('PostgreSQL 16 and later are taken, earlier ones refused with their version', async () => {
  await expect(requireVersion(ofVersion('160000'))).resolves.toBeUndefined();
  await expect(requireVersion(ofVersion('180004'))).resolves.toBeUndefined();
  await expect(requireVersion(ofVersion('150018'))).rejects.toThrow(new OldDatabaseError(15));
});
