import { spawn } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { PEAK_MEMORY, readPeakMemory } from '#tests/support/peak-memory.ts';
import { spawnServer } from '#tests/support/process.ts';
import { runFile } from '#tests/support/processes.ts';
import { ceiling, throughput, type Row } from './table.ts';

const MEBIBYTE = 1024 * 1024;
const INTERVIEWS = 10_000;
/** One video, and pictures as a phone takes them. */
const SIZES = [1024 * MEBIBYTE, ...Array.from({ length: 300 }, () => 3 * MEBIBYTE)];

/** Backup of a running server and restore, against `cp` of its data folder, each until it is safe on the disk. */
export async function backupRows(): Promise<Row[]> {
  const folder = await mkdtemp(path.join(tmpdir(), 'smca-bench-backup-'));
  const place = (name: string): string => path.join(folder, name);
  const server = spawnServer({ DATA_DIR: place('data'), LOG_LEVEL: 'error' });
  try {
    await server.url;
    await fillForBackup(place('data'));
    const backup = await timed(() => runBackup('backup', place('data'), place('a.tar')));
    const copy = await timed(() => plainCopy(place('data'), place('copy')));
    await server.end('SIGTERM');
    const restore = await timed(() => runBackup('restore', place('restored'), place('a.tar')));
    const megabytes = (await diskUsage(place('data'))) / 1024;
    const rate = (ms: number): number => megabytes / (ms / 1000);
    const what = `${INTERVIEWS / 1000}k interviews, ${SIZES.length} files, ${megabytes.toFixed(0)} MB`;
    const limit = rate(copy.ms);
    return [
      throughput({
        what: `backup while the server runs: ${what}`,
        ours: rate(backup.ms),
        limit,
        unit: 'MB/s',
        aimPercent: 50,
      }),
      throughput({
        what: 'restore of the same onto an empty folder',
        ours: rate(restore.ms),
        limit,
        unit: 'MB/s',
        aimPercent: 50,
      }),
      ceiling('size of the archive', (await stat(place('a.tar'))).size / MEBIBYTE, 'MB'),
      ceiling('memory of the backup, peak', backup.result, 'MB', 250),
      ceiling('memory of the restore, peak', restore.result, 'MB', 250),
    ];
  } finally {
    await server.end('SIGTERM');
    await rm(folder, { recursive: true, force: true });
  }
}

export async function fillForBackup(dataDir: string): Promise<void> {
  const { databaseUrl } = JSON.parse(await readFile(path.join(dataDir, 'server.json'), 'utf8')) as {
    databaseUrl: string;
  };
  const database = new pg.Client({ connectionString: databaseUrl });
  await database.connect();
  try {
    await database.query(
      `insert into public.interviews (transcript) select string_agg(md5(n::text || word::text), ' ')
       from generate_series(1, $1::int) as n, generate_series(1, 40) as word group by n`,
      [INTERVIEWS],
    );
    await database.query(
      `insert into public.interview_turns (interview_id, position, speaker, content)
       select id, position, 'user', left(transcript, 200) from public.interviews, generate_series(0, 2) as position`,
    );
    const block = randomBytes(MEBIBYTE);
    for (const size of SIZES) {
      const version = randomUUID();
      const file = path.join(dataDir, 'files/objects', version.slice(0, 2), version);
      await mkdir(path.dirname(file), { recursive: true });
      await writeFile(file, repeated(block, size));
      await database.query(
        `insert into storage.objects (bucket_id, name, version, metadata) values ('Media', '1/' || $1, $1, $2)`,
        [version, { size, mimetype: 'video/webm' }],
      );
    }
    await database.query('checkpoint');
  } finally {
    await database.end();
  }
}

function* repeated(block: Buffer, size: number): Generator<Buffer> {
  for (let written = 0; written < size; written += block.length) yield block;
}

/** As `npm run backup` and `npm run restore` start it. */
const NODE_OPTIONS = `${PEAK_MEMORY.NODE_OPTIONS} --max-semi-space-size=1`;

/** Runs the command of that name; resolves with the most memory it had, in MiB. */
export async function runBackup(verb: 'backup' | 'restore', dataDir: string, file: string): Promise<number> {
  const { code, err } = await runFile('src/server/backup/cli.ts', [verb, file], { DATA_DIR: dataDir, NODE_OPTIONS });
  if (code !== 0) throw new Error(`${verb}: ${err}`);
  return readPeakMemory(err);
}

async function plainCopy(from: string, to: string): Promise<void> {
  const copying = spawn('sh', ['-c', 'cp -a "$0" "$1" && sync -f "$1"', from, to], { stdio: 'inherit' });
  await once(copying, 'exit');
  if (copying.exitCode !== 0) throw new Error('cp failed');
}

async function diskUsage(folder: string): Promise<number> {
  const counting = spawn('du', ['-sk', folder], { stdio: ['ignore', 'pipe', 'inherit'] });
  let said = '';
  counting.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
  await once(counting, 'close');
  return Number.parseInt(said, 10);
}

/** Begins when the disk has what was written before: it would be written within the time of what is measured. */
async function timed<T>(work: () => Promise<T>): Promise<{ ms: number; result: T }> {
  await once(spawn('sync', { stdio: 'inherit' }), 'exit');
  const begun = performance.now();
  const result = await work();
  return { ms: performance.now() - begun, result };
}
