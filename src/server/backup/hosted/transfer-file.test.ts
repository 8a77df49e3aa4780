import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createClient } from '@supabase/supabase-js';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import type { FileReader } from '#backend/maintenance.ts';
import { MoveError } from './errors.ts';
import { queueQueries } from './target.ts';
import { uploadFile } from './transfer-file.ts';

const BYTES = 7 * 1024 * 1024;
const FILE = {
  bucket: 'Media',
  name: '1/film.mp4',
  version: 'v',
  type: 'video/mp4',
  bytes: BYTES,
  cacheFor: undefined,
  metadata: undefined,
};

/** Creates an upload and never answers its first part. */
async function startSilentStore(): Promise<string> {
  const server = createServer((request, response) => {
    request.on('error', () => undefined).resume();
    if (request.method === 'POST') response.writeHead(201, { location: '/upload/1' }).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function uploadTo(url: string, noteAddress: () => Promise<void>, signal: AbortSignal): Promise<void> {
  const client = new pg.Client();
  const close = async (): Promise<void> => undefined;
  const db = queueQueries(client);
  const supabase = createClient(url, 'k');
  const open = async () => ({
    bytes: BYTES,
    content: (async function* () {
      yield Buffer.alloc(BYTES);
    })(),
    cancel: () => undefined,
  });
  const reader = { open, close } satisfies FileReader;
  const target = { url, serviceKey: 'k', supabase, db, client, signal, close };
  await uploadFile({ target, reader, address: undefined, noteAddress, signal }, FILE, await open());
}

test('Ends the upload of a large file whose address cannot be noted', async () => {
  const noteAddress = async (): Promise<void> => Promise.reject(new MoveError('database_away'));
  const upload = uploadTo(await startSilentStore(), noteAddress, new AbortController().signal);
  await expect(upload).rejects.toMatchObject({ code: 'database_away' });
});

test('Begins no upload of a large file after the stop', async () => {
  const upload = uploadTo(await startSilentStore(), async () => expect.unreachable(), AbortSignal.abort());
  await expect(upload).rejects.toMatchObject({ code: 'stopped' });
});
