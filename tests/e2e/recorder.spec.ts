import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium, type BrowserContext, type Page } from '@playwright/test';
import { build } from 'vite';
import { startSpeechApp, type SpeechApp } from '#tests/support/speech-app.ts';
import {
  SPOKEN_TEXT,
  startTranscriptionService,
  type TranscriptionService,
} from '#tests/support/transcription-service.ts';
import { expect, test } from './application.ts';
import type { RecorderPage } from './recorder-page.ts';

declare const page: RecorderPage;

let script: string;
let service: TranscriptionService;
let app: SpeechApp;
let profile: string;

test.beforeAll(async () => {
  script = await bundle(fileURLToPath(new URL('./recorder-page.ts', import.meta.url)));
  service = await startTranscriptionService();
  app = await startSpeechApp({ TRANSCRIPTION_URL: service.url });
});
test.afterAll(async () => {
  await app.stop();
  await service.stop();
});
test.beforeEach(async () => {
  profile = await mkdtemp(path.join(tmpdir(), 'smca-profile-'));
});
test.afterEach(() => rm(profile, { recursive: true, force: true }));

test('fault: browser killed while recording: the recording is offered again, ≤ 2 s lost', async ({ launchOptions }) => {
  const first = await visit(launchOptions);
  const see = () => first.tab.evaluate(() => page.seen());
  await first.tab.evaluate(() => page.recorder.start());
  await expect.poll(async () => (await see()).level).toBeGreaterThan(0.2);
  await expect.poll(async () => (await see()).seconds).toBeGreaterThanOrEqual(4);
  // Every second a piece is stored once it is encoded: right after one it is known what there has to be.
  let lost = await see();
  const { bytes } = lost;
  await expect.poll(async () => (lost = await see()).bytes, { intervals: [50] }).toBeGreaterThan(bytes);
  expect(lost).toMatchObject({ status: 'recording', safe: true });
  const gone = new Promise((resolve) => first.context.once('close', resolve));
  const devtools = await first.context.newCDPSession(first.tab);
  devtools.send('Browser.crash').catch(() => undefined);
  await gone;

  const second = await visit(launchOptions);
  await expect.poll(() => second.tab.evaluate(() => page.seen().recovered.length)).toBe(1);
  const [found] = await second.tab.evaluate(() => page.seen().recovered);
  expect(found?.seconds).toBeGreaterThanOrEqual(lost.seconds - 2);
  await second.tab.evaluate((id) => page.recorder.restore(id), found?.id ?? '');
  expect(await second.tab.evaluate(() => page.seen().status)).toBe('recorded');
  expect(await second.tab.evaluate(() => page.plays())).toBe(true);
  await second.tab.evaluate(() => page.recorder.discardAll());
  await waitUntilDeleted(second.tab);
  await second.tab.reload();
  await second.tab.waitForFunction(() => 'page' in globalThis);
  expect(await second.tab.evaluate(() => page.recorder.refresh().then(() => page.seen().recovered))).toEqual([]);
  await second.context.close();
});

test('Records in a real browser, a second recording works like the first, and it is transcribed with honest progress (§2.6, §7, D18)', async ({
  launchOptions,
}) => {
  const { context, tab } = await visit(launchOptions);
  for (const round of [1, 2]) {
    await tab.evaluate(() => page.recorder.discardAll());
    await tab.evaluate(() => page.recorder.start());
    await expect.poll(() => tab.evaluate(() => page.seen().seconds), `round ${round}`).toBeGreaterThanOrEqual(round);
    await tab.evaluate(() => page.recorder.stop());
    await expect.poll(() => tab.evaluate(() => page.seen().status)).toBe('recorded');
    expect(await tab.evaluate(() => page.plays())).toBe(true);
  }
  const { result, phases } = await tab.evaluate(() => page.transcribe('user-1'));
  expect(result).toEqual({ ok: true, text: SPOKEN_TEXT, segments: [] });
  expect(phases).toEqual(['uploading', 'waiting']);
  const { bytes } = await tab.evaluate(() => page.seen());
  expect(service.calls()).toMatchObject([{ filename: 'recording.webm', fields: { language: 'de' }, faults: [] }]);
  expect(service.calls()[0]?.bytes.byteLength).toBe(bytes);

  service.behave({ kind: 'answer', status: 429, body: '{"message":"busy"}', headers: { 'retry-after': '9' } });
  const refused = await tab.evaluate(() => page.transcribe('user-1'));
  expect(refused.result).toMatchObject({ ok: false, error: { kind: 'service', message: 'busy', retryAfterS: 9 } });
  const loggedOut = await tab.evaluate(() => page.transcribe('nobody'));
  expect(loggedOut.result).toMatchObject({ ok: false, error: { kind: 'rejected', status: 401 } });
  await context.close();
});

type LaunchOptions = Parameters<typeof chromium.launchPersistentContext>[1];

/** Another start of the browser with the same profile. */
async function visit(options: LaunchOptions): Promise<{ context: BrowserContext; tab: Page }> {
  // What a killed browser leaves behind would keep the next one from its profile.
  await rm(path.join(profile, 'SingletonLock'), { force: true });
  const context = await chromium.launchPersistentContext(profile, { ...options, permissions: ['microphone'] });
  const tab = await context.newPage();
  const html = '<script type="module" src="/recorder.js"></script>';
  await tab.route(`${app.url}/`, (route) => route.fulfill({ contentType: 'text/html', body: html }));
  await tab.route('**/recorder.js', (route) => route.fulfill({ contentType: 'text/javascript', body: script }));
  await tab.goto(`${app.url}/`);
  await tab.waitForFunction(() => 'page' in globalThis);
  return { context, tab };
}

/** A discarded recording is deleted first and its lock released then; a page that is left before that keeps it. */
async function waitUntilDeleted(tab: Page): Promise<void> {
  const held = (): Promise<number> => tab.evaluate(async () => (await navigator.locks.query()).held?.length ?? -1);
  await expect.poll(held).toBe(0);
}

async function bundle(entry: string): Promise<string> {
  const result = await build({
    configFile: false,
    logLevel: 'error',
    build: { write: false, lib: { entry, formats: ['es'], fileName: 'recorder' } },
  });
  const [output] = Array.isArray(result) ? result : [];
  const [chunk] = output?.output ?? [];
  if (chunk?.type !== 'chunk') throw new Error('nothing was built');
  return chunk.code;
}
