import { mkdtemp, readdir, readFile, readlink, rm, writeFile } from 'node:fs/promises';
import { get, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { archivePath, TicketSchema } from '#contract/desk-files.ts';
import { createDatabase, type TestDatabase } from '#tests/support/database.ts';
import { deskApi, handIn, type DeskCall } from '#tests/support/desk-calls.ts';
import { enterAs } from '#tests/support/first-accounts.ts';
import { storeLargeFile } from '#tests/support/large-file.ts';
import { spawnServer, type ServerProcess } from '#tests/support/process.ts';
import { MEBIBYTE } from '#tests/support/storage.ts';

const LARGE_MEBIBYTES = 200;
/** Far more than the kernel and both ends keep under way. */
const MEDIUM_MEBIBYTES = 48;
const ALLOWED_MEBIBYTES = 64;

let database: TestDatabase;
let dataDir: string;
let server: ServerProcess;
let url: string;
let desk: DeskCall;
let small: number;
let medium: number;
let large: number;

beforeAll(async () => {
  database = await createDatabase('migrated');
  dataDir = await mkdtemp(path.join(tmpdir(), 'smca-archive-'));
  server = spawnServer({ DATA_DIR: dataDir, DATABASE_URL: database.url });
  url = await server.url;
  const admin = await enterAs(url, dataDir, 'admin');
  desk = await deskApi(url, admin);
  const file = { type: 'text/plain', extension: 'txt', bytes: Buffer.from('klein') };
  small = (await handIn(admin, { files: [file] })).id;
  medium = (await handIn(admin, {})).id;
  large = (await handIn(admin, {})).id;
  const place = { dataDir, databaseUrl: database.url };
  await storeLargeFile(place, medium, MEDIUM_MEBIBYTES * MEBIBYTE);
  await storeLargeFile(place, large, LARGE_MEBIBYTES * MEBIBYTE);
});
afterAll(async () => {
  await server.end('SIGTERM');
  await database.drop();
  await rm(dataDir, { recursive: true, force: true });
});

async function ticketFor(contribution: number): Promise<string> {
  return TicketSchema.parse((await desk('POST', '/v1/desk/tickets', { path: archivePath(contribution) })).body).url;
}

async function begin(address: string): Promise<IncomingMessage> {
  const answer = await new Promise<IncomingMessage>((resolve, reject) =>
    get(`${url}${address}`, resolve).once('error', reject),
  );
  expect(answer.statusCode).toBe(200);
  return answer;
}

/** Open files of the store and open sockets, as the kernel counts them. */
async function openHandles(): Promise<{ files: number; sockets: number }> {
  const folder = `/proc/${server.child.pid}/fd`;
  const targets = await Promise.all(
    (await readdir(folder)).map((fd) => readlink(path.join(folder, fd)).catch(() => '')),
  );
  return {
    // The mails that the server writes meanwhile are no files of the store.
    files: targets.filter((target) => target.startsWith(path.join(dataDir, 'files'))).length,
    sockets: targets.filter((target) => target.startsWith('socket:')).length,
  };
}

test('Desk: a cancelled archive leaves no open file, connection or ticket', async () => {
  const before = await openHandles();
  for (let round = 0; round < 10; round += 1) {
    const address = await ticketFor(large);
    const answer = await begin(address);
    await expect.poll(() => answer.read()).not.toBeNull();
    await expect.poll(async () => (await openHandles()).files).toBe(before.files + 1);
    answer.destroy();
    await expect.poll(async () => (await openHandles()).files).toBe(before.files);
    expect(await (await deskApi(url))('GET', address)).toMatchObject({ status: 401, code: 'ticket_invalid' });
  }
  // What is kept alive for the next calls does not grow.
  expect((await openHandles()).sockets).toBeLessThanOrEqual(before.sockets + 12);
  expect((await desk('GET', archivePath(small))).status).toBe(200);
});

test('Desk: completes archives while others are cancelled', async () => {
  const answers = await Promise.all(Array.from({ length: 4 }, async () => begin(await ticketFor(medium))));
  const sizes = await Promise.all(
    answers.map(async (answer, at) => {
      let size = 0;
      for await (const chunk of answer) {
        size += (chunk as Buffer).length;
        if (at % 2 === 0) return undefined;
      }
      return size;
    }),
  );
  expect([sizes[0], sizes[2]]).toEqual([undefined, undefined]);
  expect(sizes[1]).toBeGreaterThan(MEDIUM_MEBIBYTES * MEBIBYTE);
  expect(sizes[3]).toBe(sizes[1]);
  await expect.poll(async () => (await openHandles()).files).toBe(0);
});

test('Desk: packs 200 MB within 64 MB of memory', async () => {
  const status = `/proc/${server.child.pid}/status`;
  const peak = async (): Promise<number> =>
    Number(/VmHWM:\s+(\d+) kB/.exec(await readFile(status, 'utf8'))?.[1]) / 1024;
  await desk('GET', archivePath(small));
  await writeFile(`/proc/${server.child.pid}/clear_refs`, '5');
  const before = await peak();
  let size = 0;
  for await (const chunk of await begin(await ticketFor(large))) size += (chunk as Buffer).length;
  expect(size).toBeGreaterThan(LARGE_MEBIBYTES * MEBIBYTE);
  expect((await peak()) - before).toBeLessThanOrEqual(ALLOWED_MEBIBYTES);
});
