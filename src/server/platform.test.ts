import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { requireAdministrator } from './administrator.ts';
import { hostedPlatform, type Platform } from './platform.ts';

/** A hosted project that answers every request with `status`, but with its keys where they can be fetched. */
let project: Server;
let url: string;
let status = 503;
let hasKeys = true;
let token: string;

beforeAll(async () => {
  const { publicKey, privateKey } = await generateKeyPair('ES256');
  const published = { keys: [{ ...(await exportJWK(publicKey)), kid: 'one', alg: 'ES256' }] };
  token = await new SignJWT({ role: 'authenticated' })
    .setProtectedHeader({ alg: 'ES256', kid: 'one' })
    .setSubject('5f0c6f5e-0f5a-4a57-9d4f-3f2d1b1a0c01')
    .setExpirationTime('1h')
    .sign(privateKey);
  project = createServer((request, response) => {
    const isKeys = request.url?.endsWith('/jwks.json') === true;
    response.writeHead(isKeys ? (hasKeys ? 200 : 503) : status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(isKeys ? published : {}));
  });
  await new Promise<void>((resolve) => void project.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(project.address() as AddressInfo).port}`;
});
afterAll(() => project.close());

const open = (at = url): Platform =>
  hostedPlatform({
    url: at,
    key: 'public',
    captcha: {} as never,
    passwords: { currentPassword: true, passwordLength: 10 },
  });

test.each([503, 429])('A hosted project that answers %i for a moment ends no login and no link', async (answer) => {
  status = answer;
  const platform = open();
  const caller = { role: 'authenticated', claims: {}, token };
  await expect(platform.hasRole(caller, 'somebody')).rejects.toThrow(String(answer));
  await expect(platform.holdsContribution({ 'x-interview-key': 'key' })).rejects.toThrow(String(answer));
  await expect(platform.holdsReview({ 'x-review-key': 'key' })).rejects.toThrow(String(answer));
  const backend = { url, publicKey: 'public', keys: platform.keys };
  await expect(requireAdministrator({ authorization: `Bearer ${token}` }, backend)).rejects.toThrow('backend_failed');
});

test('A token is no wrong one while the keys of its project cannot be fetched: that is asked', async () => {
  hasKeys = false;
  status = 503;
  await expect(open().keys.verify(token)).rejects.toThrow('503');
  status = 200;
  expect(await open().keys.verify(token)).toMatchObject({ role: 'authenticated' });
  status = 401;
  await expect(open().keys.verify(token)).rejects.toMatchObject({ name: 'TokenError' });
  await expect(open('http://127.0.0.1:9').keys.verify(token)).rejects.toThrow('fetch failed');
});
