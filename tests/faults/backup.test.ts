import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, open, readdir, readFile, truncate, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { zstdDecompressSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { openArchive } from '#server/backup/archive/reader.ts';
import { createSink } from '#server/backup/archive/writer.ts';
import { BackupError } from '#server/backup/errors.ts';
import {
  backUp,
  command,
  commandHere,
  getContents,
  emptyInstallation,
  putBack,
  sql,
  computeSums,
  temporaryFolder,
  type Contents,
  type Environment,
} from '#tests/support/backups.ts';
import { bootServer, type TestServer } from '#tests/support/boot.ts';
import { PEAK_MEMORY, readPeakMemory } from '#tests/support/peak-memory.ts';
import { inherited, runFile, runServer } from '#tests/support/processes.ts';
import { bytes } from '#tests/support/storage.ts';
import { repetitions } from '#tests/support/thorough.ts';

const MEBIBYTE = 1024 * 1024;

let server: TestServer;
let here: Environment;
let archive: Buffer;
let versions: string[];
let contents: Contents;

beforeAll(async () => {
  server = await bootServer();
  here = { DATA_DIR: server.dataDir, DATABASE_URL: server.databaseUrl };
  const files = server.service().storage.from('Media');
  for (let index = 1; index <= 4; index += 1) {
    const { error } = await files.upload(`${index}/datei.bin`, bytes(index === 4 ? 300_000 : index * 1_000, index));
    if (error !== null) throw error;
  }
  // What a server writes by itself when it has started: nothing changes any more.
  const told = `select from private.settings where name = 'desk_mail'`;
  await vi.waitFor(async () => expect(await sql(server.databaseUrl, told)).toHaveLength(1));
  const file = path.join(server.dataDir, 'a.tar');
  await backUp(here, file);
  archive = await readFile(file);
  contents = await getContents(server.databaseUrl);
  versions = (await sql(server.databaseUrl, 'select version from storage.objects')).map((row) =>
    String(row['version']),
  );
});
afterAll(() => server.stop());

async function written(content: Buffer): Promise<string> {
  const file = path.join(await temporaryFolder(), 'a.tar');
  await writeFile(file, content);
  return file;
}

/** What reading all of it says: a fault's code, or `whole`. */
async function verdict(content: Buffer): Promise<string> {
  const file = await written(content);
  try {
    const opened = await openArchive(file);
    try {
      const parts = await Array.fromAsync(opened.parts(new AbortController().signal));
      return parts.length > 0 ? 'whole' : 'nothing';
    } finally {
      await opened.close();
    }
  } catch (error) {
    return error instanceof BackupError ? error.code : String(error);
  }
}

/** What must be as it was before a restore that failed. */
async function expectUntouched(target: Awaited<ReturnType<typeof emptyInstallation>>): Promise<void> {
  expect(await getContents(target.DATABASE_URL)).toEqual({});
  expect(Object.keys(await computeSums(target.DATA_DIR))).toEqual([]);
}

describe('desk, bad input: archives', () => {
  test('a whole one is whole', async () => expect(await verdict(archive)).toBe('whole'));

  test('one that is not there is told from one of another kind', async () => {
    const file = path.join(await temporaryFolder(), 'a.tar');
    await expect(openArchive(file)).rejects.toMatchObject({ code: 'file_missing', detail: file });
    // Its folder, as somebody types who does not know the name.
    await expect(openArchive(path.dirname(file))).rejects.toMatchObject({ code: 'no_archive' });
  });

  test('whichever bit is wrong, it is refused', async () => {
    // Everywhere in it, another place and bit each time; and what no sum of a part covers.
    const padding = archive.lastIndexOf('sums/') - 1;
    const steps = repetitions(40, 150);
    const offsets = Array.from({ length: steps }, (_, step) =>
      Math.floor(((step + Math.random()) * archive.length) / steps),
    );
    for (const offset of [...offsets, 0, padding, archive.length - 1]) {
      const wrong = Buffer.from(archive);
      wrong.writeUInt8((wrong[offset] ?? 0) ^ (1 << (offset % 8)), offset);
      expect([offset, await verdict(wrong)]).not.toEqual([offset, 'whole']);
    }
  });

  test.each([
    ['cut at the end', () => archive.subarray(0, -1), 'truncated'],
    ['cut before the manifest', () => archive.subarray(0, archive.length - 20_000), 'truncated'],
    ['cut in the middle', () => archive.subarray(0, archive.length / 2), 'truncated'],
    ['with something behind it', () => Buffer.concat([archive, Buffer.alloc(512)]), 'damaged'],
    ['empty', () => Buffer.alloc(0), 'no_archive'],
    ['a picture', () => bytes(50_000), 'no_archive'],
    ['zeros', () => Buffer.alloc(102_400), 'no_archive'],
    [
      'of a later format',
      () => Buffer.from(archive.toString('latin1').replace('"format": 1', '"format": 9'), 'latin1'),
      'archive_newer',
    ],
  ])('%s → %s', async (_, content, code) => expect(await verdict(content())).toBe(code));

  test('a part from another archive, sums and all, does not belong here', async () => {
    const other = Buffer.from(archive);
    // The name of a file in the header, with the header's own checksum made right.
    const at = other.indexOf(`files/${versions.toSorted()[0]}`);
    const header = other.subarray(at, at + 512);
    header.write('files/00000000-0000-4000-8000-000000000000');
    header.write('        ', 148);
    header.write(
      `${header
        .reduce((sum, byte) => sum + byte, 0)
        .toString(8)
        .padStart(6, '0')}\0 `,
      148,
    );
    expect(await verdict(other)).toBe('damaged');
    const target = await emptyInstallation();
    await expect(putBack(target, await written(other))).rejects.toMatchObject({ code: 'damaged' });
    await expectUntouched(target);
  });

  test('damaged in its last file: said in plain words, and nothing of it is left', async () => {
    const wrong = Buffer.from(archive);
    const at = wrong.lastIndexOf('sums/') - 1_000;
    wrong.writeUInt8((wrong[at] ?? 0) ^ 1, at);
    const [file, target] = [await written(wrong), await emptyInstallation()];
    const { code, out, err } = await command('restore', target, file);
    expect([code, out]).toEqual([1, '']);
    expect(err).toContain('beschädigt');
    await expectUntouched(target);
    // The same place takes a good one.
    await putBack(target, await written(archive));
    expect(await getContents(target.DATABASE_URL)).toEqual(contents);
  });

  test('damaged in its rows: the archive is named, not the database that refuses them', async () => {
    const [file, target] = [await written(loseColumn(archive)), await emptyInstallation()];
    const { code, err } = await commandHere('restore', target, file);
    expect([code, err]).toEqual([1, expect.stringContaining(`${file} ist beschädigt`)]);
    await expectUntouched(target);
  });

  test('a row that belongs to none: refused while files come, and nothing of it is left', async () => {
    const file = path.join(await temporaryFolder(), 'a.tar');
    const orphan = `insert into interview_turns (interview_id, position, speaker, content)
      values (4711, 0, 'user', '')`;
    await sql(server.databaseUrl, `set session_replication_role = replica; ${orphan}`);
    await backUp(here, file);
    await sql(server.databaseUrl, 'delete from interview_turns where interview_id = 4711');
    const target = await emptyInstallation();
    const { code, err } = await commandHere('restore', target, file);
    expect([code, err]).toEqual([1, expect.stringContaining('interview_turns_interview_id_fkey')]);
    await expectUntouched(target);
  });
});

/** One bit of the first table's compressed rows is another one, so that a row has a column too few. */
function loseColumn(whole: Buffer): Buffer {
  const size = Number.parseInt(whole.toString('latin1', 124, 135), 8);
  const columns = (from: Buffer): number => zstdDecompressSync(from.subarray(512, 512 + size)).filter(isTab).length;
  for (let at = 512; at < 512 + size; at += 1) {
    const wrong = Buffer.from(whole);
    wrong.writeUInt8(wrong.readUInt8(at) ^ 1, at);
    try {
      if (columns(wrong) < columns(whole)) return wrong;
    } catch {
      // These bytes are no rows any more.
    }
  }
  throw new Error('no bit is a column');
}

const isTab = (byte: number): boolean => byte === 9;

describe('desk, bad input: where a restore may go', () => {
  test('not into a database with rows, nor over files, nor where a server works', async () => {
    const file = await written(archive);
    const filled = await commandHere(
      'restore',
      { ...here, DATA_DIR: path.join(await temporaryFolder(), 'data') },
      file,
    );
    expect(filled).toMatchObject({ code: 1, err: expect.stringContaining('nicht leer') });
    const target = await emptyInstallation();
    await mkdir(path.join(target.DATA_DIR, 'files/objects/aa'), { recursive: true });
    await writeFile(path.join(target.DATA_DIR, 'files/objects/aa/bytes'), 'von jemandem');
    await expect(putBack(target, file)).rejects.toMatchObject({ code: 'not_empty' });
    expect(await readFile(path.join(target.DATA_DIR, 'files/objects/aa/bytes'), 'utf8')).toBe('von jemandem');
    await expect(putBack(here, file)).rejects.toMatchObject({ code: 'server_runs' });
  });

  test('not into a hosted project, and not from one', async () => {
    const hosted = { SUPABASE_URL: 'https://project.example', SUPABASE_KEY: 'key', DATA_DIR: await temporaryFolder() };
    for (const verb of ['backup', 'restore'] as const) {
      const told = await commandHere(verb, hosted, verb === 'restore' ? await written(archive) : '/tmp/nie.tar');
      expect(told).toMatchObject({ code: 1, err: expect.stringContaining('gehostetes Projekt') });
    }
  });

  test('nothing there to back up, no such folder, no arguments', async () => {
    const empty = { DATA_DIR: path.join(await temporaryFolder(), 'data') };
    expect(await commandHere('backup', empty, 'a.tar')).toMatchObject({
      code: 1,
      err: expect.stringContaining('nichts zu sichern'),
    });
    expect(existsSync(path.join(empty.DATA_DIR, 'postgres'))).toBe(false);
    const nowhere = await commandHere('backup', here, '/kein/ordner/a.tar');
    expect(nowhere).toMatchObject({ code: 1, err: expect.stringContaining('/kein/ordner') });
    expect(await command('backup', here)).toMatchObject({
      code: 2,
      err: expect.stringContaining('npm run backup -- DATEI'),
    });
    expect(await commandHere('restore', here, '--help')).toMatchObject({
      code: 0,
      out: expect.stringContaining('npm run restore'),
    });
  });
});

describe('desk, bad input: a full disk during backup', () => {
  const tmpfs = [
    '--user',
    '--map-root-user',
    '--mount',
    'sh',
    '-c',
    'mount -t tmpfs -o size=1m none "$0" && "$@"; code=$?; ls -A "$0"; exit $code',
  ];

  test('of its own: clear words, exit code 1, nothing left, and the server goes on', async (context) => {
    const disk = await temporaryFolder();
    if (!(await canMount(disk))) return context.skip('this machine allows no mounts');
    await server
      .service()
      .storage.from('Media')
      .upload('5/gross.bin', bytes(3 * MEBIBYTE), { upsert: true });
    const script = path.resolve('src/server/backup/cli.ts');
    const child = spawn('unshare', [...tmpfs, disk, process.execPath, script, 'backup', path.join(disk, 'a.tar')], {
      env: { ...inherited(), ...here },
    });
    let said = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (said += chunk.toString()));
    await once(child, 'close');
    expect(said).toBe(
      `Kein Platz mehr auf ${disk}. Schaffe Platz und starte den Befehl noch einmal.\nEs ist keine Sicherung entstanden; am Server hat sich nichts geändert.\n`,
    );
    expect(child.exitCode).toBe(1);
    expect((await fetch(`${server.url}/health`)).status).toBe(200);
    return undefined;
  });

  async function canMount(disk: string): Promise<boolean> {
    const child = spawn('unshare', [...tmpfs, disk, 'true']).on('error', () => undefined);
    await once(child, 'close');
    return child.exitCode === 0;
  }

  test.skipIf(!existsSync('/dev/full'))('whichever write fails', async () => {
    const full = await open('/dev/full', 'w');
    const sink = createSink(full, '/dev', 0);
    const writing = sink.write(bytes(3 * MEBIBYTE)).then(sink.flush);
    await expect(writing).rejects.toMatchObject({ code: 'disk_full' });
    await full.close();
  });

  test('shared with the database: it stops before the database has no room', async () => {
    const folder = await temporaryFolder();
    const handle = await open(path.join(folder, 'a.tar.part'), 'w');
    const sink = createSink(handle, folder, Number.MAX_SAFE_INTEGER);
    await expect(sink.write(bytes(MEBIBYTE))).rejects.toMatchObject({ code: 'disk_full' });
    expect((await handle.stat()).size).toBe(0);
    await handle.close();
  });
});

describe('desk faults: cut short', () => {
  test('kill -9 while files are put back: no server starts on it, and the next restore makes it whole', async () => {
    const file = await written(archive);
    const store = await hangingStore();
    const target = await emptyInstallation();
    const child = startCli('restore', { ...target, ...store.env }, file);
    await store.asked;
    child.kill('SIGKILL');
    await once(child, 'close');
    // No row is visible, and the folder does not count as an installation.
    expect(await getContents(target.DATABASE_URL)).toEqual({});
    const refused = await runServer(target);
    expect(refused).toMatchObject({ code: 1, err: expect.stringContaining('npm run restore') });
    const user = await runFile('src/server/accounts/cli.ts', ['list'], target);
    expect(user).toMatchObject({ code: 1, err: expect.stringContaining('npm run restore') });
    await store.stop();
    await putBack(target, file);
    expect(await getContents(target.DATABASE_URL)).toEqual(contents);
    const stored = Object.keys(await computeSums(path.join(target.DATA_DIR, 'files/objects'))).map((name) =>
      path.basename(name),
    );
    expect(stored.toSorted()).toEqual(versions.toSorted());
    await (await bootServer(target)).stop();
  });

  test('killed after its last row: nothing is put back twice', async () => {
    const [file, target] = [await written(archive), await emptyInstallation()];
    await putBack(target, file);
    await writeFile(path.join(target.DATA_DIR, 'restore.unfinished'), `file ${versions[0]};\nfile 12`);
    expect(await commandHere('restore', target, file)).toMatchObject({
      code: 0,
      out: expect.stringContaining('schon vollständig'),
    });
    expect(existsSync(path.join(target.DATA_DIR, 'restore.unfinished'))).toBe(false);
    expect(Object.keys(await computeSums(path.join(target.DATA_DIR, 'files/objects')))).toHaveLength(versions.length);
  });

  test('what a killed one had written is cleared by the next, half a line of its journal or not', async () => {
    const [file, target] = [await written(archive), await emptyInstallation()];
    const stale = path.join(target.DATA_DIR, 'files/objects/11/11111111-1111-4111-8111-111111111111');
    await mkdir(path.dirname(stale), { recursive: true });
    await writeFile(stale, 'von vorhin');
    await writeFile(
      path.join(target.DATA_DIR, 'restore.unfinished'),
      'file 11111111-1111-4111-8111-111111111111;\ndata outbox/20',
    );
    await putBack(target, file);
    expect(existsSync(stale)).toBe(false);
  });

  test('SIGTERM during a backup: no file, no part of one', async () => {
    const store = await hangingStore();
    const folder = await temporaryFolder();
    const child = startCli('backup', { ...here, ...store.env }, path.join(folder, 'a.tar'));
    await store.asked;
    child.kill('SIGTERM');
    await once(child, 'close');
    expect(child.exitCode).toBe(1);
    expect(await readdir(folder)).toEqual([]);
    await store.stop();
  });

  test('kill -9 during a backup: the next one removes what is left, whatever its own name', async () => {
    const store = await hangingStore();
    const folder = await temporaryFolder();
    const child = startCli('backup', { ...here, ...store.env }, path.join(folder, 'a.tar'));
    await store.asked;
    child.kill('SIGKILL');
    await once(child, 'close');
    await store.stop();
    expect(await readdir(folder)).toEqual(['a.tar.part']);
    await writeFile(path.join(folder, 'b.tar.part'), 'von jemandem');
    // The database may notice a little later that the dead one is gone.
    const next = await vi.waitFor(async () => {
      const ended = await commandHere('backup', here, path.join(folder, 'c.tar'));
      expect(ended).toMatchObject({ code: 0, err: '' });
      return ended;
    });
    expect(next.out).toContain(`Sicherung ist entfernt: ${path.join(folder, 'a.tar.part')}`);
    expect((await readdir(folder)).toSorted()).toEqual(['b.tar.part', 'c.tar']);
  });

  test('the database goes away during a backup: told, and no part of a file is left', async () => {
    const store = await hangingStore(async () => {
      await sql(
        server.databaseUrl,
        `select pg_terminate_backend(pid) from pg_stat_activity
          where query like 'fetch%' and datname = current_database()`,
      );
    });
    const folder = await temporaryFolder();
    const { code, err } = await command('backup', { ...here, ...store.env }, path.join(folder, 'a.tar'));
    expect([code, await readdir(folder)]).toEqual([1, []]);
    expect(err).toContain('keine Sicherung entstanden');
    await store.stop();
  });

  function startCli(verb: string, env: Environment, file: string): ReturnType<typeof spawn> {
    return spawn(process.execPath, [path.resolve('src/server/backup/cli.ts'), verb, file], {
      env: { ...inherited(), ...env },
      stdio: 'ignore',
    });
  }

  /** An empty object store that answers no question about a file; or, where something is to happen first, with 404. */
  async function hangingStore(
    first?: () => Promise<void>,
  ): Promise<{ env: Environment; asked: Promise<unknown>; stop: () => Promise<void> }> {
    const asked = Promise.withResolvers<IncomingMessage>();
    const http = createServer((request, response) => {
      if (request.url?.includes('list-type') === true) {
        response.end('<ListBucketResult><IsTruncated>false</IsTruncated></ListBucketResult>');
        return;
      }
      asked.resolve(request);
      if (first !== undefined) void first().then(() => response.writeHead(404).end());
    });
    http.listen(0, '127.0.0.1');
    await once(http, 'listening');
    const { port } = http.address() as AddressInfo;
    const env = {
      S3_BUCKET: 'files',
      S3_ENDPOINT: `http://127.0.0.1:${port}`,
      S3_ACCESS_KEY_ID: 'a',
      S3_SECRET_ACCESS_KEY: 'b',
    };
    const stop = async (): Promise<void> => {
      http.closeAllConnections();
      http.close();
      await once(http, 'close');
    };
    return { env, asked: asked.promise, stop };
  }
});

test('desk: a file of any size costs no memory, there and back', async () => {
  // More than the limit below leaves room for.
  const size = repetitions(200, 400) * MEBIBYTE;
  const version = '22222222-2222-4222-8222-222222222222';
  const large = path.join(server.dataDir, 'files/objects/22', version);
  await mkdir(path.dirname(large), { recursive: true });
  await writeFile(large, '');
  await truncate(large, size);
  await sql(
    server.databaseUrl,
    `insert into storage.objects (bucket_id, name, version, metadata) values ('Media', '9/gross.bin', $1, $2)`,
    [version, { size }],
  );
  const [folder, target] = [await temporaryFolder(), await emptyInstallation()];
  const peaks: number[] = [];
  for (const [verb, place] of [
    ['backup', here],
    ['restore', target],
  ] as const) {
    const { code, err } = await command(verb, { ...place, ...PEAK_MEMORY }, path.join(folder, 'a.tar'));
    expect(code).toBe(0);
    peaks.push(readPeakMemory(err));
  }
  // An idle Node with the clients loaded has about 110 MB.
  expect(Math.max(...peaks)).toBeLessThan(250);
  await server.service().storage.from('Media').remove(['9/gross.bin']);
});
