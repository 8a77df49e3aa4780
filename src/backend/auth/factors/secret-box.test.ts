import { randomBytes, randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { createSecretBox } from './secret-box.ts';

const server = randomBytes(32);
const box = createSecretBox(server);
const row = randomUUID();

test('Decrypts a value for its own row and does not reveal the secret', () => {
  const sealed = box.seal(row, 'JBSWY3DPEHPK3PXP');
  expect(box.open(row, sealed)).toBe('JBSWY3DPEHPK3PXP');
  expect(sealed).not.toContain('JBSWY3DPEHPK3PXP');
  expect(JSON.parse(sealed)).toMatchObject({ alg: 'aes-gcm-hkdf' });
  expect(box.seal(row, 'JBSWY3DPEHPK3PXP')).not.toBe(sealed);
});

test('Rejects a value that was copied, changed or sealed by another server', () => {
  const sealed = box.seal(row, 'geheim');
  const { data, ...rest } = JSON.parse(sealed) as { data: string };
  const bytes = Buffer.from(data, 'base64');
  bytes[0] = (bytes[0] ?? 0) ^ 1;
  const changed = JSON.stringify({ ...rest, data: bytes.toString('base64') });
  expect(() => box.open(randomUUID(), sealed)).toThrow();
  expect(() => box.open(row, changed)).toThrow();
  expect(() => createSecretBox(randomBytes(32)).open(row, sealed)).toThrow();
  for (const none of ['', 'JBSWY3DPEHPK3PXP', '{}', '{"alg":"none","data":"","nonce":""}']) {
    expect(() => box.open(row, none)).toThrow();
  }
});
