import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { runFile } from '#tests/support/processes.ts';
import { addPeople, CHAINS, refreshSessions } from './auth.ts';
import { fillForBackup } from './backup.ts';
import { askInbox, fillInbox } from './desk.ts';
import { download, FILE_BYTES } from './files.ts';
import { describeMachine, watchMachine } from './machine.ts';
import { connectInspector } from './inspector.ts';
import { describePlaces, listCpuPlaces, listHeapPlaces, type CpuProfile, type HeapProfile } from './places.ts';
import { addRows, getDatabaseUrl, loadRest, WORK } from './rest.ts';
import { startSubject, type Subject } from './subject.ts';
import { buildHeaders, content, newFolder, send } from './transfer.ts';
import { sendInParts } from './uploads.ts';

/**
 * `npm run profile -- ROW [--into FOLDER]`: the CPU and heap profile of the server (of the command, for `backup`) while
 * it does the work of a row of the bench, and the ten most expensive places of each.
 */
const CLIENTS = 8;

type Profiles = Readonly<{ cpu: CpuProfile; heap: HeapProfile }>;
/** Prepares, and returns the work that is profiled. */
type Prepare = (subject: Subject) => Promise<() => Promise<unknown>>;

const SERVER_ROWS: Readonly<Record<string, Prepare>> = {
  rest: async (subject) => {
    await addRows(subject);
    return () => loadRest(subject, WORK.select, CLIENTS);
  },
  insert: async (subject) => () => loadRest(subject, WORK.insert, CLIENTS),
  download: async (subject) => {
    const url = await uploadOne(subject);
    return () => download(url, buildHeaders(subject));
  },
  upload: async (subject) => () => uploadOne(subject),
  resumable: async (subject) => {
    const folder = await newFolder(subject);
    return () => sendInParts(subject, `${folder}/1_${'b'.repeat(32)}.webm`, FILE_BYTES);
  },
  refresh: async (subject) => {
    const pool = new pg.Pool({ connectionString: await getDatabaseUrl(subject.dataDir) });
    const people = await addPeople(pool, CHAINS);
    await pool.end();
    return () => refreshSessions(subject, people);
  },
  inbox: async (subject) => {
    const database = new pg.Client({ connectionString: await getDatabaseUrl(subject.dataDir) });
    await database.connect();
    await fillInbox(database);
    await database.end();
    return () => askInbox(subject);
  },
};

const writeProfilesInto = (folder: string): string =>
  `--cpu-prof --cpu-prof-dir=${folder} --heap-prof --heap-prof-dir=${folder}`;

const PROCESS_ROWS: Readonly<Record<string, (folder: string) => Promise<void>>> = {
  start: async (folder) => (await startSubject({ NODE_OPTIONS: writeProfilesInto(folder) })).stop(),
  backup: async (folder) => {
    const subject = await startSubject();
    try {
      await fillForBackup(subject.dataDir);
      const env = { DATA_DIR: subject.dataDir, NODE_OPTIONS: writeProfilesInto(folder) };
      const archive = path.join(subject.dataDir, 'backup.tar');
      const { code, err } = await runFile('src/server/backup/cli.ts', ['backup', archive], env);
      if (code !== 0) throw new Error(err);
    } finally {
      await subject.stop();
    }
  },
};

await main();

async function main(): Promise<void> {
  const { row, folder } = readArguments();
  await mkdir(folder, { recursive: true });
  const { result, machine } = await watchMachine(() => profile(row, folder));
  await writeFile(path.join(folder, `${row}.cpuprofile`), JSON.stringify(result.cpu));
  await writeFile(path.join(folder, `${row}.heapprofile`), JSON.stringify(result.heap));
  process.stdout.write(
    `${row}: ${describeMachine(machine)}\n\nprocessor time\n${describePlaces(listCpuPlaces(result.cpu), 'ms')}` +
      `\nmemory allocated\n${describePlaces(listHeapPlaces(result.heap), 'MB')}\nprofiles in ${folder}\n`,
  );
}

function readArguments(): { row: string; folder: string } {
  const { values, positionals } = parseArgs({ allowPositionals: true, options: { into: { type: 'string' } } });
  const rows = [...Object.keys(SERVER_ROWS), ...Object.keys(PROCESS_ROWS)];
  const [row = '', ...more] = positionals;
  if (!rows.includes(row) || more.length > 0) refuse(`npm run profile -- ${rows.join('|')} [--into FOLDER]`);
  const folder = path.resolve(values.into ?? path.join('.cache/profiles', row));
  for (const kind of ['cpuprofile', 'heapprofile']) {
    const file = path.join(folder, `${row}.${kind}`);
    if (existsSync(file)) refuse(`${file} exists and is not overwritten: remove it, or choose another --into FOLDER.`);
  }
  return { row, folder };
}

function refuse(why: string): never {
  process.stderr.write(`${why}\n`);
  process.exit(2);
}

async function profile(row: string, folder: string): Promise<Profiles> {
  const prepare = SERVER_ROWS[row];
  if (prepare === undefined) {
    await PROCESS_ROWS[row]?.(folder);
    return { cpu: await readWritten(folder, 'cpuprofile'), heap: await readWritten(folder, 'heapprofile') };
  }
  const subject = await startSubject({ NODE_OPTIONS: '--inspect=127.0.0.1:0' });
  try {
    const work = await prepare(subject);
    const inspector = await connectInspector(subject.output());
    await inspector.begin();
    await work();
    return await inspector.end();
  } finally {
    await subject.stop();
  }
}

/** The runtime names its files by time and process; the largest is that of the process itself. */
async function readWritten<T>(folder: string, kind: string): Promise<T> {
  const names = (await readdir(folder)).filter((name) => name.endsWith(`.${kind}`));
  const texts = await Promise.all(names.map((name) => readFile(path.join(folder, name), 'utf8')));
  const largest = texts.toSorted((a, b) => b.length - a.length)[0];
  if (largest === undefined) throw new Error(`the runtime wrote no ${kind}`);
  for (const name of names) await rename(path.join(folder, name), path.join(folder, `process-${name}`));
  return JSON.parse(largest) as T;
}

async function uploadOne(subject: Subject): Promise<string> {
  const url = `${subject.url}/storage/v1/object/Media/${await newFolder(subject)}/1_${'a'.repeat(32)}.webm`;
  const headers = { ...buildHeaders(subject), 'content-type': 'video/webm', 'content-length': FILE_BYTES };
  await send(url, { method: 'POST', headers, body: content(FILE_BYTES) });
  return url;
}
