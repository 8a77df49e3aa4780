import { randomBytes } from 'node:crypto';
import type { SupabaseClient } from '@supabase/supabase-js';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bootServer, type TestServer } from '#tests/support/boot.ts';

let server: TestServer;
let owner: pg.Client;
let client: SupabaseClient;
let contribution: number;
let file: string;

beforeAll(async () => {
  server = await bootServer();
  owner = new pg.Client({ connectionString: server.databaseUrl });
  await owner.connect();
});
afterAll(async () => {
  await owner.end();
  await server.stop();
});

/** A contribution with one file, in the name of a key. */
async function contribute(): Promise<void> {
  client = server.client({ headers: { 'x-interview-key': randomBytes(32).toString('base64url') } });
  const { data } = await client.from('interviews').insert({}).select('id').single<{ id: number }>();
  contribution = data?.id ?? 0;
  file = `${contribution}/bild.png`;
  const stored = await client.storage.from('Media').upload(file, 'Bytes', { contentType: 'image/png' });
  expect(stored.error).toBeNull();
}

async function sign(): Promise<string> {
  const { data } = await client.storage.from('Media').createSignedUrl(file, 3_600);
  return data?.signedUrl ?? '';
}

test('An address made with an interview key opens the file while the key counts (D9)', async () => {
  await contribute();
  const url = await sign();
  expect(await (await fetch(url)).text()).toBe('Bytes');
  expect(await (await fetch(url, { headers: { range: 'bytes=0-1' } })).text()).toBe('By');
});

test('It carries the key only encrypted (D9)', async () => {
  await contribute();
  const [, payload = ''] = new URL(await sign()).searchParams.get('token')?.split('.') ?? [];
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Record<string, unknown>;
  expect(Object.keys(claims).toSorted()).toEqual(['exp', 'iat', 'scope', 'signer', 'url']);
  expect(String(claims['signer']).split('.')).toHaveLength(5);
});

test.each([
  ['ended', `update private.interview_keys set expires_at = now() where interview_id = $1`],
  ['was revoked', `delete from private.interview_keys where interview_id = $1`],
])('Once the key %s the address opens nothing and uploads nothing (D9)', async (_state, sql) => {
  await contribute();
  const url = await sign();
  const name = `${contribution}/spaeter.png`;
  const upload = await client.storage.from('Media').createSignedUploadUrl(name);
  await owner.query(sql, [contribution]);
  expect(await (await fetch(url)).json()).toMatchObject({ statusCode: '404', code: 'NoSuchKey' });
  const late = await server
    .client()
    .storage.from('Media')
    .uploadToSignedUrl(name, upload.data?.token ?? '', 'x');
  expect(late.error).toMatchObject({ code: 'AccessDenied' });
});

test('A token whose signer was changed is refused (D9)', async () => {
  await contribute();
  const url = new URL(await sign());
  const [head = '', payload = '', signature = ''] = (url.searchParams.get('token') ?? '').split('.');
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Record<string, unknown>;
  delete claims['signer'];
  const changed = Buffer.from(JSON.stringify(claims)).toString('base64url');
  url.searchParams.set('token', [head, changed, signature].join('.'));
  expect(await (await fetch(url)).json()).toMatchObject({ code: 'InvalidJWT' });
});
