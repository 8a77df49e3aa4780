import { chmod, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startCluster } from '#backend/database/index.ts';
import { command, temporaryFolder } from '#tests/support/backups.ts';
import { asOwner } from '#tests/support/callers.ts';
import { startServerProcess } from '#tests/support/processes.ts';

/** Programs and data of a PostgreSQL that runs as the user `nobody`. */
const REACHABLE = '/var/lib/social-media-content-assistant';
const readReachable = (): Promise<string[]> => readdir(REACHABLE).catch(() => []);

const folders: string[] = [];
async function makeFolder(): Promise<string> {
  const folder = await temporaryFolder();
  folders.push(folder);
  return folder;
}

/** Data are there under the path of their folder; those of another run on this machine come and go. */
function isOthers(name: string): boolean {
  const folder = Buffer.from(name, 'base64url').toString();
  return folder.startsWith('/') && !folders.some((own) => folder.startsWith(own));
}
const listReachable = async (): Promise<string[]> => (await readReachable()).filter((name) => !isOthers(name));

let before: string[];
beforeAll(async () => {
  before = await readReachable();
});
afterAll(async () => {
  const mine = (await listReachable()).filter((name) => !before.includes(name));
  const isAlone = !(await readReachable()).some(isOthers);
  for (const name of mine) if (isAlone || !isProgram(name)) await rm(path.join(REACHABLE, name), { recursive: true });
  if (isAlone && before.length === 0) await rm(REACHABLE, { recursive: true, force: true });
});
const isProgram = (name: string): boolean => name.startsWith('postgres-');

/** A machine where root may make no user namespace, as in most containers. The user `nobody` can read only /tmp. */
async function forbidNamespaces(folder: string): Promise<Record<string, string>> {
  const unshare = path.join(folder, 'unshare');
  await writeFile(unshare, '#!/bin/sh\nexit 1\n');
  await chmod(unshare, 0o755);
  return { PATH: `${folder}:${process.env['PATH']}`, TMPDIR: '/tmp' };
}

/** Starts the database in this process, does something with it and stops it. */
async function withCluster(folder: string, machine: Record<string, string>, sql: string): Promise<unknown[]> {
  const before = { ...process.env };
  Object.assign(process.env, machine);
  try {
    const cluster = await startCluster({ folder });
    try {
      return (await asOwner(cluster.url('postgres'), (client) => client.query(sql))).rows;
    } finally {
      await cluster.stop();
    }
  } finally {
    for (const name of Object.keys(machine)) delete process.env[name];
    Object.assign(process.env, before);
  }
}

const isRoot = process.getuid?.() === 0;
const KEPT = `select to_regclass('kept') is not null as kept`;

test.runIf(isRoot)('A database made with namespaces is not replaced by an empty one without them', async () => {
  const folder = await makeFolder();
  const machine = await forbidNamespaces(folder);
  const database = path.join(folder, 'postgres');
  await withCluster(database, {}, 'create table kept ()');
  await expect(withCluster(database, machine, KEPT)).rejects.toThrow('another user');
  expect(await withCluster(database, {}, KEPT)).toEqual([{ kept: true }]);
});

test.runIf(isRoot)(
  'A database made without namespaces is found again with them, and named where its folder was removed',
  async () => {
    const folder = await makeFolder();
    const machine = await forbidNamespaces(folder);
    const database = path.join(folder, 'postgres');
    await withCluster(database, machine, 'create table kept ()');
    expect(await withCluster(database, { TMPDIR: '/tmp' }, KEPT)).toEqual([{ kept: true }]);
    await rm(database, { recursive: true });
    await expect(withCluster(database, machine, KEPT)).rejects.toThrow(`password of its data is gone`);
  },
);

test.runIf(isRoot)(
  'README: as root without namespaces the server starts, is backed up when stopped, and a failed restore leaves nothing',
  async () => {
    const folder = await makeFolder();
    const machine = await forbidNamespaces(folder);
    const here = { ...machine, DATA_DIR: path.join(folder, 'here') };
    await (await startServerProcess(here)).end('SIGTERM');
    const file = path.join(folder, 'a.tar');
    expect(await command('backup', here, file)).toMatchObject({ code: 0, err: '' });

    const reachable = await listReachable();
    const there = { ...machine, DATA_DIR: path.join(folder, 'there') };
    const damaged = path.join(folder, 'damaged.tar');
    const content = await readFile(file);
    // The begin of the first table's compressed bytes.
    content.fill(0, 512, 520);
    await writeFile(damaged, content);
    const failed = await command('restore', there, damaged);
    expect(failed).toMatchObject({ code: 1, err: expect.stringContaining('beschädigt') });
    expect(await listReachable()).toEqual(reachable);
  },
);
