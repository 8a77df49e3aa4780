import { createHash, randomBytes } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { SupabaseClient } from '@supabase/supabase-js';
import { Upload } from 'tus-js-client';
import type { Ledger } from './ledger.ts';

/**
 * Answers of the server that were no success, by kind; what is none of the expected kinds is a failure of the product.
 */
export type Refusals = Map<string, number>;

export type Writers = Readonly<{
  /** Writes nothing for so long, but for what was begun. Resolves when it is over. */
  rest: (ms: number) => Promise<void>;
  stop: () => Promise<void>;
}>;

type Access = Readonly<{ url: string; client: SupabaseClient; key: string }>;

const PNG_HEAD = Buffer.from('89504e470d0a1a0a', 'hex');
const SMALL_FILE_BYTES = 40_000;
const LARGE_FILE_BYTES = 7 * 1024 * 1024;
const PART_BYTES = 6 * 1024 * 1024;
/** Every so many turns a writer uploads in parts. */
const TURNS_PER_LARGE_FILE = 25;
const PAUSE_AFTER_REFUSAL_MS = 100;

/** Several writers that hand in contributions with files, until they are stopped. */
export function startWriters(accesses: readonly Access[], ledger: Ledger, refusals: Refusals): Writers {
  let stopped = false;
  let resting = Promise.resolve();
  const running = accesses.map(async (access) => {
    for (let turn = 1; !stopped; turn += 1) {
      await resting;
      const refusal = await handIn(access, ledger, turn % TURNS_PER_LARGE_FILE === 0);
      if (refusal === undefined) continue;
      refusals.set(refusal, (refusals.get(refusal) ?? 0) + 1);
      await wait(PAUSE_AFTER_REFUSAL_MS);
    }
  });
  return {
    rest: (ms) => (resting = wait(ms)),
    stop: async () => {
      stopped = true;
      await Promise.all(running);
    },
  };
}

/** A row, a change of it, a file, and the row that registers it. Answers the kind of the first refusal. */
async function handIn(access: Access, ledger: Ledger, large: boolean): Promise<string | undefined> {
  const { client } = access;
  const first = randomText();
  const made = await client.from('interviews').insert({ transcript: first }).select('id').single<{ id: number }>();
  if (made.error !== null) return getKind(made.status);
  const { id } = made.data;
  const row = `row:${id}`;
  ledger.acknowledge(row, sha256(first));
  const second = randomText();
  ledger.attempt(row, sha256(second));
  const changed = await client.from('interviews').update({ transcript: second }).eq('id', id).select('id');
  if (changed.error !== null) return getKind(changed.status);
  ledger.acknowledge(row, sha256(second));
  const name = `${id}/${Date.now()}_${randomBytes(16).toString('hex')}.png`;
  const content = Buffer.concat([PNG_HEAD, randomBytes(large ? LARGE_FILE_BYTES : SMALL_FILE_BYTES)]);
  ledger.attempt(`file:${name}`, sha256(content));
  const refusal = await (large ? uploadInParts(access, name, content) : uploadWhole(client, name, content));
  if (refusal !== undefined) return refusal;
  ledger.acknowledge(`file:${name}`, sha256(content));
  ledger.attempt(`registered:${name}`, name);
  const registered = await client
    .from('media_uploads')
    .insert({ interview_id: id, file_path: name, file_type: 'image/png' });
  if (registered.error !== null) return getKind(registered.status);
  ledger.acknowledge(`registered:${name}`, name);
  return undefined;
}

async function uploadWhole(client: SupabaseClient, name: string, content: Buffer): Promise<string | undefined> {
  const { error } = await client.storage.from('Media').upload(name, content, { contentType: 'image/png' });
  if (error === null) return undefined;
  return getKind(Number('status' in error ? error.status : 0));
}

/** As the browser does it: it asks where it was and goes on, as long as it takes. */
async function uploadInParts({ url, client, key }: Access, name: string, content: Buffer): Promise<string | undefined> {
  // A session outlives its tokens: the client renews them, but an upload names one by itself.
  const token = (await client.auth.getSession()).data.session?.access_token ?? '';
  return new Promise((resolve) => {
    const upload = new Upload(content, {
      endpoint: `${url}/storage/v1/upload/resumable`,
      headers: { authorization: `Bearer ${token}`, apikey: key },
      metadata: { bucketName: 'Media', objectName: name, contentType: 'image/png' },
      chunkSize: PART_BYTES,
      retryDelays: [200, 500, 1_000, 2_000, 4_000, 8_000],
      onSuccess: () => resolve(undefined),
      onError: (error) => {
        const status = 'originalResponse' in error ? error.originalResponse?.getStatus() : 0;
        resolve(getKind(status ?? 0));
      },
    });
    upload.start();
  });
}

/** 0: no answer at all. 409: what was sent before, without an answer, had arrived. */
function getKind(status: number): string {
  if (status === 0 || Number.isNaN(status)) return 'no answer';
  return String(status);
}

export function sha256(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}

function randomText(): string {
  return randomBytes(300).toString('base64');
}
