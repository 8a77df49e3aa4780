import { decodeJwt, SignJWT } from 'jose';
import { expect, test } from 'vitest';
import type { FastifyRequest } from 'fastify';
import { createFakeDeps, KEYS, USER_ID } from '#tests/support/storage-fakes.ts';
import { openSigner, readDownloadPermit, readUploadPermit, sealSigner, signPermit } from './signed-urls.ts';

const SECRET = KEYS.serverSecret;
const URL_PATH = 'box/a.txt';
const download = { url: URL_PATH, scope: 'download' } as const;
const upload = { url: URL_PATH, scope: 'upload', upsert: true, owner: USER_ID } as const;

async function forge(claims: Record<string, unknown>, secret = SECRET, expires = '1m'): Promise<string> {
  return new SignJWT(claims).setProtectedHeader({ alg: 'HS256' }).setExpirationTime(expires).sign(secret);
}

test('Reads a download permit with its end', async () => {
  const before = Math.floor(Date.now() / 1000);
  const token = signPermit(download, SECRET, 60);
  const { expires, signer } = await readDownloadPermit(token, URL_PATH, SECRET);
  expect(expires.getTime()).toBeGreaterThanOrEqual((before + 60) * 1000);
  expect(signer).toBeUndefined();
});

test('Signs as the library does that reads it', async () => {
  const token = signPermit({ ...download, signer: undefined }, SECRET, 60);
  const { iat = 0, exp = 0, ...claims } = decodeJwt(token);
  expect([claims, exp - iat]).toEqual([download, 60]);
  const same = new SignJWT({ ...claims, iat, exp }).setProtectedHeader({ alg: 'HS256', typ: 'JWT' });
  expect(token).toBe(await same.sign(SECRET));
});

test('Reads an upload permit with owner and upsert', async () => {
  const token = signPermit(upload, SECRET, 60);
  expect(await readUploadPermit(token, URL_PATH, SECRET)).toMatchObject({ owner: USER_ID, upsert: true });
});

test('Accepts no permit for another URL (threat 3)', async () => {
  const token = signPermit(download, SECRET, 60);
  for (const url of ['box/b.txt', 'other/a.txt', 'box/a.txt/', 'box/A.txt', ''])
    await expect(readDownloadPermit(token, url, SECRET)).rejects.toMatchObject({ code: 'InvalidSignature' });
});

test('Accepts no download permit for an upload, and the reverse (threat 3)', async () => {
  const [reading, writing] = [signPermit(download, SECRET, 60), signPermit(upload, SECRET, 60)];
  await expect(readUploadPermit(reading, URL_PATH, SECRET)).rejects.toMatchObject({ code: 'InvalidSignature' });
  await expect(readDownloadPermit(writing, URL_PATH, SECRET)).rejects.toMatchObject({ code: 'InvalidSignature' });
});

test.each([
  ['an expired token', () => forge(download, SECRET, '-1s')],
  ['a token of another secret', () => forge(download, Buffer.alloc(32, 2))],
  [
    'a changed token',
    async () => (await forge(download)).replace(/\.(.)/, (_all, first) => (first === 'a' ? '.b' : '.a')),
  ],
  ['an unsigned token', async () => `${btoa('{"alg":"none"}')}.${btoa(JSON.stringify(download))}.`],
  ['no token', async () => ''],
])('Refuses %s (threat 15)', async (_case, make) => {
  await expect(readDownloadPermit(await make(), URL_PATH, SECRET)).rejects.toMatchObject({ code: 'InvalidJWT' });
});

test.each([{}, { url: URL_PATH }, { ...download, url: 7 }, { ...download, signer: 7 }])(
  'Refuses the signed claims %j',
  async (claims) => {
    await expect(readDownloadPermit(await forge(claims), URL_PATH, SECRET)).rejects.toMatchObject({
      code: 'InvalidSignature',
    });
  },
);

function createRequest(headers: Record<string, string>): FastifyRequest {
  return { headers, method: 'GET', url: '/object/sign/box/a.txt?token=x', ip: '203.0.113.7' } as FastifyRequest;
}

const caller = { role: 'anon', claims: { role: 'anon' }, token: undefined };
const { deps } = createFakeDeps({ rules: { policyHeaders: ['x-key'] } });

test('Seals nothing for a caller without a policy header', async () => {
  for (const headers of [{}, { 'x-key': '' }, { 'x-other': 'k' }])
    expect(await sealSigner(deps, createRequest(headers), caller)).toBeUndefined();
});

test('Restores role, claims and policy headers of the signer, and no other headers (threat 3)', async () => {
  const sealed = await sealSigner(deps, createRequest({ 'x-key': 'secret-key', cookie: 'c' }), caller);
  expect(sealed).not.toContain('secret-key');
  const context = await openSigner(deps, createRequest({ 'x-key': 'other' }), sealed ?? '', 'storage.object.sign');
  expect(context).toMatchObject({ role: 'anon', claims: { role: 'anon' }, headers: { 'x-key': 'secret-key' } });
  expect(context.headers).not.toHaveProperty('cookie');
  expect(context.settings).toMatchObject({ 'storage.operation': 'storage.object.sign' });
});

test('Opens no signer that was changed or sealed with another secret (threat 15)', async () => {
  const request = createRequest({ 'x-key': 'k' });
  const sealed = (await sealSigner(deps, request, caller)) ?? '';
  const foreign = { ...deps, keys: { ...KEYS, serverSecret: Buffer.alloc(32, 9) } };
  const attempts = [
    [foreign, sealed],
    [deps, `${sealed.slice(0, -4)}AAAA`],
    [deps, ''],
  ] as const;
  for (const [used, text] of attempts)
    await expect(openSigner(used, request, text, 'storage.object.sign')).rejects.toMatchObject({
      code: 'InvalidSignature',
    });
});
