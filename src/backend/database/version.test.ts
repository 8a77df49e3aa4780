import { expect, test } from 'vitest';
import { OldDatabaseError, requireVersion } from './version.ts';

const ofVersion = (number: string, encoding = 'UTF8') =>
  ({ query: async () => ({ rows: [{ number, encoding }] }) }) as never;

test('PostgreSQL 16 and later are taken, earlier ones refused with their version', async () => {
  await expect(requireVersion(ofVersion('160000'))).resolves.toBeUndefined();
  await expect(requireVersion(ofVersion('180004'))).resolves.toBeUndefined();
  await expect(requireVersion(ofVersion('150018'))).rejects.toThrow(new OldDatabaseError(15));
});

test.each(['SQL_ASCII', 'LATIN1'])('A database in %s, which cannot hold every sign, is refused', async (encoding) => {
  await expect(requireVersion(ofVersion('180004', encoding))).rejects.toMatchObject({ code: '22P05' });
});
