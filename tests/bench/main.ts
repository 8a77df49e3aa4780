import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { describeNewMemory, measureNewMemory } from '../../scripts/new-memory.ts';
import { adminRows } from './admin.ts';
import { backupRows } from './backup.ts';
import { archiveRows } from './archive.ts';
import { authRows } from './auth.ts';
import { bundleRow } from './bundle.ts';
import { deskRows } from './desk.ts';
import { evidenceRows } from './evidence.ts';
import { fileRows } from './files.ts';
import { installationRow } from './installation.ts';
import { lighthouseRows } from './lighthouse.ts';
import { livingSessionRow } from './living-session.ts';
import { loginRow } from './login.ts';
import { postRows } from './posts.ts';
import { getDatabaseUrl, restRows } from './rest.ts';
import { speechRows } from './speech.ts';
import { memory, startSubject } from './subject.ts';
import { isDisturbed, watchMachine } from './machine.ts';
import { ceiling, formatRows, type Row } from './table.ts';
import { uploadRows } from './uploads.ts';
import { voiceRows } from './voice.ts';
import { localVoiceRows } from './voice-local.ts';
import { voiceBrowserRows } from './voice-browser.ts';
import { accountRows } from './who-has-an-account.ts';

/**
 * `npm run bench`: every figure with its limit measured in the same run, on the machine at hand. `--only <pattern>`:
 * the parts whose names match.
 */
const { values: options } = parseArgs({ options: { only: { type: 'string', default: '' } } });
const REST_MS = 3_000;

const subject = await startSubject();
const databaseUrl = await getDatabaseUrl(subject.dataDir);
const PARTS: readonly (readonly [name: string, measure: () => Promise<Row | readonly Row[]>])[] = [
  ['memory', memoryRow],
  ['rest', () => restRows(subject, databaseUrl)],
  ['evidence', evidenceRows],
  ['living session', () => livingSessionRow(subject)],
  ['administration', () => adminRows(subject, databaseUrl)],
  ['desk', () => deskRows(subject, databaseUrl)],
  ['posts', () => postRows(subject, databaseUrl)],
  ['files', () => fileRows(subject)],
  ['uploads', () => uploadRows(subject)],
  ['archive', () => archiveRows(subject)],
  ['login', () => loginRow(subject)],
  ['accounts', accountRows],
  ['auth', () => authRows(subject, databaseUrl)],
  ['bundle', () => bundleRow(subject.url)],
  ['lighthouse', () => lighthouseRows(subject)],
  ['start', startRows],
  ['installation', installationRow],
  ['speech', speechRows],
  ['voice', voiceRows],
  ['local voice', localVoiceRows],
  ['voice in a browser', voiceBrowserRows],
  ['backup', backupRows],
];

const rows: Row[] = [];
const newMemory = measureNewMemory();
try {
  const wanted = new RegExp(options.only);
  for (const [, measure] of PARTS.filter(([name]) => wanted.test(name))) {
    const { result, machine } = await watchMachine(measure);
    rows.push(...[result].flat().map((row) => ({ ...row, machine })));
  }
} finally {
  process.stdout.write(`${formatRows(rows)}\n${describeNewMemory(newMemory)}`);
  if (rows.some(({ machine }) => machine !== undefined && isDisturbed(machine)))
    process.stdout.write('Rows marked LOADED shared the machine with others: compare ratios only, and repeat.\n');
  await subject.stop();
}

async function memoryRow(): Promise<Row> {
  await wait(REST_MS);
  return ceiling('memory at rest, server process', (await memory(subject.pid)).now, 'MB', 120);
}

async function startRows(): Promise<Row[]> {
  return [
    ceiling('cold start: empty folder to first answer', subject.startMs, 'ms'),
    ceiling('warm start: existing data to first answer', await subject.restart(), 'ms'),
  ];
}
