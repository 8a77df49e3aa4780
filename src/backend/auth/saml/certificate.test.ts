import { createPrivateKey, generateKeyPairSync, X509Certificate } from 'node:crypto';
import { expect, test } from 'vitest';
import { selfSignedCertificate } from './certificate.ts';

test.each([2_048, 4_096])('RFC 5280 an RSA key of %i bits in a certificate of its own', (modulusLength) => {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength });
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  const certificate = new X509Certificate(selfSignedCertificate(pem, 'beispiel.test'));
  expect([certificate.subject, certificate.issuer]).toEqual(['CN=beispiel.test', 'CN=beispiel.test']);
  expect(certificate.verify(publicKey)).toBe(true);
  expect(certificate.checkPrivateKey(createPrivateKey(pem))).toBe(true);
  expect(certificate.validToDate.getUTCFullYear()).toBe(2120);
  expect(selfSignedCertificate(pem, 'beispiel.test')).toBe(selfSignedCertificate(pem, 'beispiel.test'));
});
