import { createReadStream, createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { get, type IncomingMessage } from 'node:http';
import path from 'node:path';
import { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { openPromise } from 'yauzl';
import { archivePath, DESK_PATH, TicketSchema } from '#contract/desk-files.ts';
import type { TestUser } from '#tests/support/accounts.ts';
import { deskApi } from '#tests/support/desk-calls.ts';
import { enterAs } from '#tests/support/first-accounts.ts';
import { storeLargeFile } from '#tests/support/large-file.ts';
import { getDatabaseUrl } from './rest.ts';
import { memory, memoryBefore, type Subject } from './subject.ts';
import { ceiling, type Row } from './table.ts';

const MEBIBYTE = 1024 * 1024;
const SIZE = 5 * 1024 * MEBIBYTE;

/** A contribution of 5 GB as a ZIP to a file, against a plain copy of its file on the same disk. */
export async function archiveRows(subject: Subject): Promise<Row[]> {
  const admin = await enterAs(subject.url, subject.dataDir, 'admin');
  const made = await admin.client.from('interviews').insert({}).select('id').single<{ id: number }>();
  if (made.error) throw new Error(made.error.message);
  const databaseUrl = await getDatabaseUrl(subject.dataDir);
  const file = await storeLargeFile({ dataDir: subject.dataDir, databaseUrl }, made.data.id, SIZE);
  const copy = path.join(subject.dataDir, 'copy.bin');
  const zip = path.join(subject.dataDir, 'archive.zip');
  try {
    const copyMs = await timed(() => pipeline(createReadStream(file), createWriteStream(copy)));
    await rm(copy);
    const before = await memoryBefore(subject.pid);
    const zipMs = await timed(async () => pipeline(await begin(subject, admin, made.data.id), createWriteStream(zip)));
    const after = await memory(subject.pid);
    await expectWhole(zip);
    const rate = (ms: number): string => `${(SIZE / MEBIBYTE / (ms / 1000)).toFixed(0)} MB/s`;
    const ratio = `${((100 * copyMs) / zipMs).toFixed(0)} %`;
    return [
      { what: 'ZIP of 5 GB', ours: rate(zipMs), limit: rate(copyMs), ratio, aim: '–', met: undefined },
      ceiling('memory that a ZIP of 5 GB adds', Math.max(0, after.peak - before), 'MB', 64),
    ];
  } finally {
    await rm(file);
    await rm(zip, { force: true });
  }
}

async function begin(subject: Subject, admin: TestUser, contribution: number): Promise<IncomingMessage> {
  const asked = await (
    await deskApi(subject.url, admin)
  )('POST', `${DESK_PATH}/tickets`, { path: archivePath(contribution) });
  const { url } = TicketSchema.parse(asked.body);
  return new Promise((resolve, reject) => get(`${subject.url}${url}`, resolve).once('error', reject));
}

/** Sums and sizes are checked by the reader. */
async function expectWhole(file: string): Promise<void> {
  const zip = await openPromise(file, { lazyEntries: true });
  const names: string[] = [];
  for await (const entry of zip.eachEntry()) {
    names.push(entry.fileName);
    const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
    await pipeline(await zip.openReadStreamPromise(entry), nowhere);
    if (entry.fileName.endsWith('.webm') && entry.uncompressedSize !== SIZE)
      throw new Error(`${entry.uncompressedSize} bytes`);
  }
  if (names.length !== 4) throw new Error(`the archive holds ${names.join(', ')}`);
}

async function timed(work: () => Promise<void>): Promise<number> {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
}
