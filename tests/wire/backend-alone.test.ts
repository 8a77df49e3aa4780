import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createClient, type SupabaseClient } from '@supabase/supabase-js';
import fastify, { type FastifyInstance } from 'fastify';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openBackend, type AccountMail, type Backend } from '#backend/index.ts';
import { createDatabase, type TestDatabase } from '#tests/support/database.ts';

/** A project that has nothing in common with the product: recipes with one owner each and pictures of them. */
const CONFIG = `
project_id = "recipes"
[api]
schemas = ["public", "kitchen"]
[auth]
site_url = "https://recipes.example"
enable_signup = true
[auth.email]
enable_confirmations = true
[storage.buckets.pictures]
public = true
file_size_limit = "1KiB"
allowed_mime_types = ["text/plain"]
`;

const MIGRATION = `
create table recipes (
  id int generated always as identity primary key, title text not null, owner uuid not null default auth.uid()
);
alter table recipes enable row level security;
create policy own on recipes for all to authenticated using (owner = auth.uid()) with check (owner = auth.uid());
create schema kitchen;
create table kitchen.ovens (id int primary key, degrees int not null);
grant usage on schema kitchen to anon;
grant select on kitchen.ovens to anon;
create policy upload on storage.objects for insert to authenticated with check (bucket_id = 'pictures');
create policy look on storage.objects for select to authenticated using (bucket_id = 'pictures');
`;

let folder: string;
let database: TestDatabase;
let backend: Backend;
let app: FastifyInstance;
let url: string;
const mails: AccountMail[] = [];

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'smca-recipes-'));
  await mkdir(path.join(folder, 'project', 'migrations'), { recursive: true });
  await writeFile(path.join(folder, 'project', 'config.toml'), CONFIG);
  await writeFile(path.join(folder, 'project', 'migrations', '20250101000000_recipes.sql'), MIGRATION);
  await writeFile(path.join(folder, 'project', 'seed.sql'), 'insert into kitchen.ovens values (1, 180);');
  database = await createDatabase();
  app = fastify({ forceCloseConnections: true });
  backend = await openBackend({
    projectFolder: path.join(folder, 'project'),
    database: { kind: 'url', url: database.url },
    store: { kind: 'disk', folder: path.join(folder, 'files'), minimumFree: 0 },
    publicUrl: undefined,
    issuer: 'https://recipes.example/auth/v1',
    env: {},
    log: app.log,
    mailer: { send: async (mail) => void mails.push(mail) },
  });
  await backend.mount(app);
  await app.listen({ port: 0, host: '127.0.0.1' });
  url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  await app.close();
  await backend.close();
  await database.drop();
  await rm(folder, { recursive: true, force: true });
});

function connect(): SupabaseClient {
  const auth = { persistSession: false, autoRefreshToken: false };
  return createClient(url, backend.keys.publishableKey, { auth });
}

/** Signs up and confirms with the code of the mail. */
async function signUp(email: string): Promise<SupabaseClient> {
  const client = connect();
  const signedUp = await client.auth.signUp({ email, password: 'a long password' });
  expect(signedUp.error).toBeNull();
  await expect.poll(() => mails.filter(({ to }) => to === email)).toHaveLength(1);
  const token = mails.find(({ to }) => to === email)?.code ?? '';
  const verified = await client.auth.verifyOtp({ email, token, type: 'signup' });
  expect(verified.error).toBeNull();
  return client;
}

test('Signs up in a foreign project, whose application writes the mails', async () => {
  const client = await signUp('ada@recipes.example');
  const { data } = await client.auth.getUser();
  expect(data.user?.email).toBe('ada@recipes.example');
  expect(mails.at(-1)).toMatchObject({ kind: 'signup', to: 'ada@recipes.example' });
});

test('Applies the migrations, policies and seeds of a foreign project', async () => {
  const [owner, other] = [await signUp('owner@recipes.example'), await signUp('other@recipes.example')];
  const inserted = await owner.from('recipes').insert({ title: 'Soup' }).select('title');
  expect(inserted.data).toEqual([{ title: 'Soup' }]);
  expect((await other.from('recipes').select('title')).data).toEqual([]);
  expect((await connect().from('recipes').insert({ title: 'Nothing' })).error?.code).toBe('42501');
  const ovens = await connect().schema('kitchen').from('ovens').select('degrees');
  expect(ovens.data).toEqual([{ degrees: 180 }]);
});

test('Serves the buckets of a foreign config.toml with their limits', async () => {
  const { storage } = await signUp('cook@recipes.example');
  const pictures = storage.from('pictures');
  const upload = (name: string, text: string, contentType: string) =>
    pictures.upload(name, new TextEncoder().encode(text), { contentType });
  expect((await upload('soup.txt', 'tomatoes', 'text/plain')).error).toBeNull();
  expect((await upload('large.txt', 'x'.repeat(1_025), 'text/plain')).error).toMatchObject({ statusCode: '413' });
  expect((await upload('soup.png', 'tomatoes', 'image/png')).error).toMatchObject({ statusCode: '415' });
  const shown = await fetch(pictures.getPublicUrl('soup.txt').data.publicUrl);
  expect(await shown.text()).toBe('tomatoes');
  expect(await backend.status()).toEqual({ database: true, storage: true, room: true });
});
