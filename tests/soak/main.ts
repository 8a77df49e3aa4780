import { spawnSync } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { writeSection } from '#tests/support/reliability.ts';
import { makeRunFolder } from '#tests/support/run-folder.ts';
import { listFaults } from './faults.ts';
import { startPair, startSingle, type Installation } from './installation.ts';
import { HEAD, hasHeld, soakRows, soakTable } from './report.ts';
import { soak, type SoakResult } from './soak.ts';

/**
 * `npm run soak -- --minutes N`: writers that remember what was acknowledged, while servers and databases are killed,
 * connections get lost, clients stop in the middle and the disk fills up. Half of the time goes to one server with its
 * embedded PostgreSQL, half to two servers on one database. `--kills N` ends each half after so many kills; with
 * `--rounds N` none ends before every fault has struck so often. `--calm` leaves the processors to others in
 * between: a fault every four seconds at most, and writers that rest until shortly before it.
 */
const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '2' },
    kills: { type: 'string' },
    rounds: { type: 'string' },
    seed: { type: 'string', default: '1' },
    calm: { type: 'boolean', default: false },
    report: { type: 'boolean', default: false },
  },
});
const [minutes, seed] = [Number(values.minutes), Number(values.seed)];
const kills = values.kills === undefined ? undefined : Number(values.kills);
const rounds = values.rounds === undefined ? undefined : Number(values.rounds);
const isPositive = (given: number | undefined): boolean => given === undefined || given > 0;
if (!isPositive(minutes) || !Number.isInteger(seed) || !isPositive(kills) || !isPositive(rounds)) {
  process.stderr.write(
    'npm run soak -- --minutes N [--kills N] [--rounds N] [--seed N] [--calm] [--report]: positive numbers\n',
  );
  process.exit(2);
}

const DISK_SIZE = '2g';
const folder = await makeRunFolder();
process.env['TMPDIR'] = folder.path;
const disk = path.join(folder.path, 'disk');
await mkdir(disk);
const mounted = mountDisk(disk);
if (!mounted) process.stdout.write('No right to mount a disk of its own here: the full disk is left out.\n');

const results: SoakResult[] = [];
try {
  results.push(await run('one server', () => startSingle(disk), mounted ? disk : undefined));
  results.push(await run('two servers', () => startPair(folder.path), undefined));
} finally {
  if (mounted) spawnSync('umount', ['--lazy', disk]);
  await folder.remove();
}
process.stdout.write(`\n${soakTable(results)}\n`);
if (values.report) await writeSection('soak', HEAD, soakRows(results));
const failed = results.filter((result) => !hasHeld(result)).length;
process.stdout.write(`${results.length - failed} passed, ${failed} failed\n`);
process.exit(failed === 0 ? 0 : 1);

async function run(name: string, start: () => Promise<Installation>, diskOfItsOwn?: string): Promise<SoakResult> {
  process.stdout.write(`${name}: starting\n`);
  const installation = await start();
  try {
    const options = {
      until: performance.now() + (minutes * 60_000) / 2,
      seed,
      calm: values.calm,
      ...(kills === undefined ? {} : { kills }),
      ...(rounds === undefined ? {} : { rounds }),
    };
    const result = await soak(installation, listFaults(diskOfItsOwn), options);
    process.stdout.write(`${name}: ${result.kills} kills, ${result.check.acknowledged} acknowledged\n`);
    if (!hasHeld(result)) process.stdout.write(`${installation.output().slice(-8_000)}\n`);
    return result;
  } catch (error) {
    process.stdout.write(`${installation.output().slice(-8_000)}\n`);
    throw error;
  } finally {
    await installation.stop();
  }
}

function mountDisk(at: string): boolean {
  if (process.platform !== 'linux') return false;
  return spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK_SIZE}`, 'tmpfs', at], { stdio: 'ignore' }).status === 0;
}
