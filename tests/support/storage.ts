import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createHash, randomUUID } from 'node:crypto';
import type { SupabaseClient } from '@supabase/supabase-js';
import pg from 'pg';
import { afterAll, beforeAll, describe } from 'vitest';
import { bootServer, type TestServer } from './boot.ts';
import { startS3, type S3Server } from './s3.ts';

/** A server on a project made for the storage tests, on one of the two stores. */
export type Stage = Readonly<{
  server: TestServer;
  /** What a second server needs to share project and store with this one. */
  environment: Readonly<Record<string, string>>;
  /** supabase-js with the service key. */
  service: SupabaseClient;
  /** A fresh user of role `authenticated`. */
  user: () => Promise<User>;
  /** Keys of all files in the store, also of those without a row. */
  files: () => Promise<string[]>;
  sql: (text: string, values?: unknown[]) => Promise<Record<string, unknown>[]>;
}>;

export type User = Readonly<{ id: string; token: string; client: SupabaseClient; headers: Record<string, string> }>;

export const MEBIBYTE = 1024 * 1024;

/** Runs the tests on the disk store and on an S3 store. */
export function onEachStore(define: (stage: () => Stage) => void): void {
  describe.each(['disk', 's3'] as const)('on %s', (kind) => {
    let opened: (Stage & { close: () => Promise<void> }) | undefined;
    beforeAll(async () => {
      opened = await openStage(kind);
    });
    afterAll(() => opened?.close());
    define(() => {
      if (opened === undefined) throw new Error('not open');
      return opened;
    });
  });
}

export async function openStage(
  kind: 'disk' | 's3',
  overrides: Readonly<Record<string, string>> = {},
): Promise<Stage & { close: () => Promise<void> }> {
  const s3 = kind === 's3' ? await startS3() : undefined;
  const project = await makeProject();
  const environment = { SUPABASE_DIR: project, ...s3?.env, ...overrides };
  const server = await bootServer(environment);
  const pool = new pg.Pool({ connectionString: server.databaseUrl, max: 2 });
  pool.on('error', () => undefined);
  return {
    server,
    environment,
    service: server.service(),
    user: () => makeUser(server),
    files: () => getFiles(server, s3),
    sql: async (text, values) => (await pool.query(text, values)).rows,
    close: async () => {
      await pool.end();
      await server.stop();
      await s3?.stop();
      await rm(project, { recursive: true, force: true });
    },
  };
}

/** As before the bucket had a list of types, or with another list: for files that are no longer taken in. */
export async function acceptEveryType(server: Pick<TestServer, 'service'>): Promise<void> {
  const { error } = await server.service().storage.updateBucket('Media', { public: false, allowedMimeTypes: null });
  if (error !== null) throw error;
}

async function getFiles(server: TestServer, s3: S3Server | undefined): Promise<string[]> {
  if (s3 !== undefined) return s3.keys();
  const names = await readdir(path.join(server.dataDir, 'files'), { recursive: true, withFileTypes: true });
  return names.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name));
}

async function makeUser(server: TestServer): Promise<User> {
  const id = randomUUID();
  const token = await signFor(server, { sub: id });
  const headers = { authorization: `Bearer ${token}`, apikey: server.backend.keys.publishableKey };
  return { id, token, headers, client: server.client({ headers: { authorization: `Bearer ${token}` } }) };
}

export function signFor(server: TestServer, claims: Record<string, unknown>): Promise<string> {
  const { keys } = server.backend;
  const now = Math.floor(Date.now() / 1000);
  // prettier-ignore
  return keys.sign({
    role: 'authenticated', aud: 'authenticated', iss: keys.issuer, iat: now, exp: now + 3_600, ...claims,
  });
}

export function sha256(content: Uint8Array | string): string {
  return createHash('sha256').update(content).digest('hex');
}

/** Bytes that look like nothing in particular, the same for the same seed. */
export function bytes(length: number, seed = 1): Buffer<ArrayBuffer> {
  const block = createHash('sha512').update(String(seed)).digest();
  return Buffer.alloc(length, block);
}

export const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

async function makeProject(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'smca-project-'));
  await mkdir(path.join(folder, 'migrations'));
  await writeFile(path.join(folder, 'config.toml'), CONFIG);
  await writeFile(path.join(folder, 'migrations', '20260101000000_policies.sql'), POLICIES);
  return folder;
}

const CONFIG = `
[storage]
file_size_limit = "20MiB"
[storage.buckets.private]
[storage.buckets.public]
public = true
[storage.buckets.images]
allowed_mime_types = ["image/*", "application/pdf"]
file_size_limit = "1KiB"
`;

/** In \`private\`, a user owns the folder of the own id, and the sender of a key the folder of that key. */
const POLICIES = `
create function public.my_folder() returns text language sql stable as $$
  select coalesce(auth.uid()::text, nullif(current_setting('request.headers', true), '')::json ->> 'x-interview-key')
$$;
create policy "buckets are seen" on storage.buckets for select using (id <> 'hidden');
create policy "own files" on storage.objects for all
  using (bucket_id = 'private' and (storage.foldername(name))[1] = public.my_folder())
  with check (bucket_id = 'private' and (storage.foldername(name))[1] = public.my_folder());
create policy "drop box" on storage.objects for insert with check (bucket_id = 'private' and name like 'dropbox/%');
create policy "only by upload" on storage.objects for insert to authenticated
  with check (name like 'byoperation/%' and storage.operation() = 'storage.object.upload');
create policy "only small pictures" on storage.objects for insert to authenticated
  with check (name like 'bymetadata/%' and metadata ->> 'mimetype' = 'image/png'
    and (metadata ->> 'contentLength')::int < 100);
`;
