import { setTimeout as wait } from 'node:timers/promises';
import { adminRows } from './admin.ts';
import { backupRows } from './backup.ts';
import { archiveRows } from './archive.ts';
import { authRows } from './auth.ts';
import { bundleRows } from './bundle.ts';
import { deskRows } from './desk.ts';
import { evidenceRows } from './evidence.ts';
import { fileRows } from './files.ts';
import { installationRow } from './installation.ts';
import { livingSessionRow } from './living-session.ts';
import { loginRow } from './login.ts';
import { getDatabaseUrl, restRows } from './rest.ts';
import { speechRows } from './speech.ts';
import { memory, startSubject } from './subject.ts';
import { ceiling, print, type Row } from './table.ts';
import { uploadRows } from './uploads.ts';
import { voiceRows } from './voice.ts';
import { localVoiceRows } from './voice-local.ts';
import { voiceBrowserRows } from './voice-browser.ts';
import { accountRows } from './who-has-an-account.ts';

/** `npm run bench`: every figure with its limit measured in the same run, on the machine at hand. */
const REST_MS = 3_000;

const subject = await startSubject();
const rows: Row[] = [];
try {
  await wait(REST_MS);
  rows.push(ceiling('memory at rest, server process', (await memory(subject.pid)).now, 'MB', 150));
  rows.push(...(await restRows(subject, await getDatabaseUrl(subject.dataDir))));
  rows.push(...(await evidenceRows()));
  rows.push(await livingSessionRow(subject));
  rows.push(...(await adminRows(subject, await getDatabaseUrl(subject.dataDir))));
  rows.push(...(await deskRows(subject, await getDatabaseUrl(subject.dataDir))));
  rows.push(...(await fileRows(subject)));
  rows.push(...(await uploadRows(subject)));
  rows.push(...(await archiveRows(subject)));
  rows.push(await loginRow(subject));
  rows.push(...(await accountRows()));
  rows.push(...(await authRows(subject, await getDatabaseUrl(subject.dataDir))));
  rows.push(...(await bundleRows(subject.url)));
  rows.push(ceiling('cold start: empty folder to first answer', subject.startMs, 'ms'));
  rows.push(ceiling('warm start: existing data to first answer', await subject.restart(), 'ms'));
  rows.push(await installationRow());
  rows.push(...(await speechRows()));
  rows.push(...(await voiceRows()));
  rows.push(...(await localVoiceRows()));
  rows.push(...(await voiceBrowserRows()));
  rows.push(...(await backupRows()));
} finally {
  print(rows);
  await subject.stop();
}
