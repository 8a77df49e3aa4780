import { decodeJwt } from 'jose';
import { expect, test } from 'vitest';
import {
  createBucket,
  createMemoryStore,
  createObject,
  createSqlError,
  openFakeService,
  USER,
  USER_ID,
  VERSION,
  type FakeOptions,
  type Query,
} from '#tests/support/storage-fakes.ts';
import { storeKey } from '../stores/object-store.ts';

const visible = ({ sql }: Query): object[] => {
  if (/from storage\.buckets/.test(sql)) return [createBucket()];
  return /from storage\.objects/.test(sql) ? [createObject()] : [];
};

async function post(url: string, payload: object, options: FakeOptions = {}, headers: Record<string, string> = USER) {
  const service = await openFakeService({ answer: visible, ...options });
  const response = await service.app.inject({ method: 'POST', url, headers, payload });
  return { ...service, status: response.statusCode, body: response.json() };
}

function readToken(url: string): Record<string, unknown> {
  return decodeJwt(new URL(url, 'https://test').searchParams.get('token') ?? '');
}

test.each([
  [60, 60],
  [86_400, 86_400],
  [86_401, 86_400],
  [3_153_600_000, 86_400],
  ['60', 60],
  [' 0x3c ', 60],
  [true, 1],
])('Signs a URL for %j s that lives %d s', async (expiresIn, life) => {
  const { status, body } = await post('/object/sign/box/a.txt', { expiresIn });
  expect(status).toBe(200);
  expect(body.signedURL).toMatch(/^\/object\/sign\/box\/a\.txt\?token=/);
  const { url, scope, exp, iat } = readToken(body.signedURL);
  expect([url, scope, Number(exp) - Number(iat)]).toEqual(['box/a.txt', 'download', life]);
});

test.each([{}, { expiresIn: 0 }, { expiresIn: -1 }, { expiresIn: 1.5 }, { expiresIn: '60s' }, { expiresIn: 1e12 }])(
  'Refuses to sign with %j (contract §3.1)',
  async (payload) => {
    const { status, body } = await post('/object/sign/box/a.txt', payload);
    expect([status, body.code]).toEqual([400, 'InvalidRequest']);
  },
);

test('Signs no object that the caller may not see (threat 3)', async () => {
  const { status, body, queries } = await post('/object/sign/box/a.txt', { expiresIn: 60 }, { answer: () => [] });
  expect([status, body.code]).toEqual([400, 'NoSuchKey']);
  expect(queries[0]?.context).toMatchObject({ role: 'authenticated', readOnly: true });
});

test('Signs the visible names of many, in their order (contract §3.2)', async () => {
  const paths = ['hidden.txt', 'a.txt', 'a.txt'];
  const { body } = await post('/object/sign/box', { expiresIn: 60, paths }, { answer: () => [{ name: 'a.txt' }] });
  expect(body.map(({ path, error }: { path: string; error: string | null }) => [path, error])).toEqual([
    ['hidden.txt', 'Either the object does not exist or you do not have access to it'],
    ['a.txt', null],
    ['a.txt', null],
  ]);
  expect(body[0].signedURL).toBeNull();
  expect(readToken(body[1].signedURL)['url']).toBe('box/a.txt');
});

test('Asks and signs once for each path, however often it is named (contract §3.2)', async () => {
  const paths = Array.from({ length: 1_000 }, (_, at) => (at % 2 === 0 ? 'a.txt' : 'hidden.txt'));
  const { body, queries } = await post(
    '/object/sign/box',
    { expiresIn: 60, paths },
    { answer: () => [{ name: 'a.txt' }] },
  );
  expect(queries.at(-1)?.values).toEqual(['box', ['a.txt', 'hidden.txt']]);
  expect(body).toHaveLength(1_000);
  expect(new Set(body.map(({ signedURL }: { signedURL: string | null }) => signedURL)).size).toBe(2);
});

test('Lets other work go on while it signs a thousand paths', async () => {
  const paths = Array.from({ length: 1_000 }, (_, at) => `${at}.txt`);
  const service = await openFakeService({ answer: () => paths.map((name) => ({ name })) });
  let turns = 0;
  const count = (): void => {
    turns += 1;
    next = setImmediate(count);
  };
  let next = setImmediate(count);
  const answer = await service.app.inject({
    method: 'POST',
    url: '/object/sign/box',
    headers: USER,
    payload: { expiresIn: 60, paths },
  });
  clearImmediate(next);
  expect(answer.json()).toHaveLength(1_000);
  expect(turns).toBeGreaterThanOrEqual(9);
});

test.each([[[]], [Array.from({ length: 1_001 }, () => 'a')], [[{}]]])(
  'Refuses to sign the list %.40j',
  async (paths) => {
    expect((await post('/object/sign/box', { expiresIn: 60, paths })).body.code).toBe('InvalidRequest');
  },
);

test('Signs many with numbers as text and a single name (contract §3.2)', async () => {
  const { body } = await post('/object/sign/box', { expiresIn: '60', paths: 7 }, { answer: () => [{ name: '7' }] });
  expect(body).toEqual([{ error: null, path: '7', signedURL: expect.any(String) }]);
});

test('Passes the permission to upload on for a minute (contract §3.2)', async () => {
  const headers = { ...USER, 'x-upsert': 'true' };
  const { body, queries } = await post('/object/upload/sign/box/new.txt', {}, {}, headers);
  const claims = readToken(body.url);
  expect(claims).toMatchObject({ url: 'box/new.txt', scope: 'upload', upsert: true, owner: USER_ID });
  expect(Number(claims['exp']) - Number(claims['iat'])).toBe(60);
  expect(body.url).toBe(`/object/upload/sign/box/new.txt?token=${body.token}`);
  const dryRun = queries.find(({ sql }) => sql.startsWith('insert into storage.objects'));
  expect(dryRun?.context?.settings).toMatchObject({ 'storage.operation': 'storage.object.sign_upload_url' });
});

test('Passes no permission on that the caller does not have', async () => {
  const { status, body } = await post(
    '/object/upload/sign/box/new.txt',
    {},
    {
      answer: (query) =>
        query.sql.startsWith('insert') ? createSqlError('42501', 'row-level security policy') : visible(query),
    },
  );
  expect([status, body.code]).toEqual([400, 'AccessDenied']);
});

test('Serves a signed URL without credentials, and only its own path (threat 3)', async () => {
  const { store, files } = createMemoryStore();
  files.set(storeKey(VERSION), Buffer.from('0123456789'));
  const { app, body } = await post('/object/sign/box/a.txt', { expiresIn: 60 }, { store });
  expect((await app.inject({ url: body.signedURL })).body).toBe('0123456789');
  const other = await app.inject({ url: body.signedURL.replace('a.txt', 'b.txt') });
  expect([other.statusCode, other.json().code]).toEqual([400, 'InvalidSignature']);
  const without = await app.inject({ url: '/object/sign/box/a.txt' });
  expect([without.statusCode, without.json().code]).toEqual([400, 'InvalidRequest']);
});

test('Checks the rights of a policy header again at each use (threat 3)', async () => {
  let revoked = false;
  const options = {
    rules: { policyHeaders: ['x-key'] },
    answer: (query: Query) => (revoked && query.context !== undefined ? [] : visible(query)),
  };
  const headers = { authorization: 'Bearer public', 'x-key': 'k' };
  const { app, body, queries } = await post('/object/sign/box/a.txt', { expiresIn: 60 }, options, headers);
  revoked = true;
  const answer = await app.inject({ url: body.signedURL });
  expect([answer.statusCode, answer.json().code]).toEqual([400, 'NoSuchKey']);
  expect(queries.at(-1)?.context).toMatchObject({ role: 'anon', headers: { 'x-key': 'k' } });
});
