import { createPrivateKey, generateKeyPairSync, X509Certificate } from 'node:crypto';
import { expect, test } from 'vitest';
import { AuthConfig } from '../../config.ts';
import type { Database } from '../../database/index.ts';
import { openSamlKey, selfSignedCertificate } from './key.ts';

const unused = {} as Database;
const given = (bits: number) => {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: bits });
  const private_key = privateKey.export({ type: 'pkcs1', format: 'der' }).toString('base64');
  return AuthConfig.parse({ saml: { enabled: true, private_key } }).saml;
};

test('[auth.saml] Reads private_key in upstream’s form', async () => {
  const key = await openSamlKey(given(2_048), unused, 'https://x.test/auth/v1');
  expect([key.privateKey, key.certificate]).toEqual([
    expect.stringContaining('BEGIN PRIVATE KEY'),
    expect.stringContaining('BEGIN CERTIFICATE'),
  ]);
});

test('[auth.saml] Adds private_key_next with its own certificate', async () => {
  const next = given(2_048).private_key;
  const { certificate, next: other } = await openSamlKey(
    { ...given(2_048), private_key_next: next },
    unused,
    'https://x.test',
  );
  expect(other?.certificate).toContain('BEGIN CERTIFICATE');
  expect(other?.certificate).not.toBe(certificate);
});

test('Rejects a short or invalid key', async () => {
  await expect(openSamlKey(given(1_024), unused, 'https://x.test')).rejects.toThrow('at least RSA 2048');
  const none = { ...given(2_048), private_key: 'eA==' };
  await expect(openSamlKey(none, unused, 'https://x.test')).rejects.toThrow();
});

test.each([2_048, 4_096])('RFC 5280 Signs a certificate with an RSA key of %i bits', (modulusLength) => {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength });
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  const certificate = new X509Certificate(selfSignedCertificate(pem, 'beispiel.test'));
  expect([certificate.subject, certificate.issuer]).toEqual(['CN=beispiel.test', 'CN=beispiel.test']);
  expect(certificate.verify(publicKey)).toBe(true);
  expect(certificate.checkPrivateKey(createPrivateKey(pem))).toBe(true);
  expect(certificate.validToDate.getUTCFullYear()).toBe(2120);
  expect(selfSignedCertificate(pem, 'beispiel.test')).toBe(selfSignedCertificate(pem, 'beispiel.test'));
});
