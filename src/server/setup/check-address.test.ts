import { once } from 'node:events';
import { createServer as createPlain, type AddressInfo } from 'node:net';
import { createServer } from 'node:tls';
import { expect, test } from 'vitest';
import { STATE_MS } from '#tests/support/time-limits.ts';
import { describeFailure } from './check-errors.ts';
import { readCertificateEnd } from './check-address.ts';

/** Of these tests alone: for localhost, valid until 2126, and another one until 2021. */
const KEY = `-----BEGIN EC PRIVATE KEY-----
MHcCAQEEIPm2wf8oJ9LzugkmMQoXAL43gAmE7vIK1r/8jq2H5VofoAoGCCqGSM49
AwEHoUQDQgAEGB1t+Df7o6wUst0OFJiFmsxrx7dICCBQEwe6g/qxQ1e/fqZJ/vuV
VfZk00ZVN8UTVov0y8xOISwPEPwlW4dBTQ==
-----END EC PRIVATE KEY-----`;
const VALID = `-----BEGIN CERTIFICATE-----
MIIBnDCCAUGgAwIBAgIUJbgdz23HGql5MlzKD2fv27YJ9MAwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyMjIyNDY1NVoYDzIxMjYxMDI5
MjI0NjU1WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAAQYHW34N/ujrBSy3Q4UmIWazGvHt0gIIFATB7qD+rFDV79+pkn++5VV
9mTTRlU3xRNWi/TLzE4hLA8Q/CVbh0FNo28wbTAdBgNVHQ4EFgQUNfziYsTo7asP
XrrOdwXqtqYxoYIwHwYDVR0jBBgwFoAUNfziYsTo7asPXrrOdwXqtqYxoYIwDwYD
VR0TAQH/BAUwAwEB/zAaBgNVHREEEzARgglsb2NhbGhvc3SHBH8AAAEwCgYIKoZI
zj0EAwIDSQAwRgIhAO12lITGmTakhxjF00O5lVIg2MTIpN2CXCGsBZY0Q0lCAiEA
sUntNQQ1LxLTpmzdDUUuUwaXUFzCIQBuJBKn/ku4Nmk=
-----END CERTIFICATE-----`;
const EXPIRED = `-----BEGIN CERTIFICATE-----
MIIBYzCCAQigAwIBAgIBATAKBggqhkjOPQQDAjAUMRIwEAYDVQQDDAlsb2NhbGhv
c3QwHhcNMjAwMTAxMDAwMDAwWhcNMjEwMTAxMDAwMDAwWjAUMRIwEAYDVQQDDAls
b2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAQYHW34N/ujrBSy3Q4U
mIWazGvHt0gIIFATB7qD+rFDV79+pkn++5VV9mTTRlU3xRNWi/TLzE4hLA8Q/CVb
h0FNo0swSTAaBgNVHREEEzARgglsb2NhbGhvc3SHBH8AAAEwDAYDVR0TBAUwAwEB
/zAdBgNVHQ4EFgQUNfziYsTo7asPXrrOdwXqtqYxoYIwCgYIKoZIzj0EAwIDSQAw
RgIhAKoU5ks2rdI38dCFWkO9sHSlkfJKbDLyg/lJHgpFzxsYAiEAm+dYsVjZa6CN
oglMQFIgMaVhHyr6pxetid7OCJvWIhY=
-----END CERTIFICATE-----`;

async function readFrom(cert: string, ca?: string, host = '127.0.0.1'): Promise<string> {
  const server = createServer({ key: KEY, cert }, (socket) => socket.on('error', () => socket.destroy()));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  try {
    return await readCertificateEnd(new URL(`https://${host}:${port}`), AbortSignal.timeout(STATE_MS), ca).catch(
      (error: unknown) => describeFailure(error).code,
    );
  } finally {
    server.close();
  }
}

test('Reads until when a trusted certificate is valid', async () => {
  expect(await readFrom(VALID, VALID)).toMatch(/^21\d\d-\d\d-\d\dT/);
});

test('Tells a certificate that browsers do not trust, and one that has expired', async () => {
  expect(await readFrom(VALID)).toBe('certificate_untrusted');
  expect(await readFrom(EXPIRED, EXPIRED)).toBe('certificate_expired');
});

test('Tells a server without TLS and a closed port', async () => {
  const plain = createPlain((socket) => socket.resume().end('HTTP/1.1 400 Bad Request\r\n\r\n'));
  await once(plain.listen(0, '127.0.0.1'), 'listening');
  const { port } = plain.address() as AddressInfo;
  const read = (): Promise<string> =>
    readCertificateEnd(new URL(`https://127.0.0.1:${port}`), AbortSignal.timeout(STATE_MS)).catch(
      (error: unknown) => describeFailure(error).code,
    );
  expect(await read()).toBe('tls_failed');
  plain.close();
  await once(plain, 'close');
  expect(await read()).toBe('unreachable');
});

test('Asks nobody after the stop', async () => {
  const silent = createPlain();
  await once(silent.listen(0, '127.0.0.1'), 'listening');
  const { port } = silent.address() as AddressInfo;
  const url = new URL(`https://127.0.0.1:${port}`);
  await expect(readCertificateEnd(url, AbortSignal.abort())).rejects.toMatchObject({ name: 'AbortError' });
  silent.close();
});
