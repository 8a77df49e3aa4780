import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { chromium, type Page } from '@playwright/test';
import { encodeWav } from '#server/voice-agent/audio/pcm.ts';
import { endings, watchEndings } from '#tests/e2e/endings.ts';
import { median } from '#tests/support/percentile.ts';
import { spawnServer } from '#tests/support/process.ts';
import { startSpeechServices } from '#tests/support/speech-services.ts';
import { fixturePcm, silence } from '#tests/support/voice-audio.ts';
import { testBrowser } from '../../scripts/browser.ts';
import { ceiling, type Row } from './table.ts';

const PAUSE_MS = 3_000;
const SAMPLES = 6;
/** speech.md: so much speech is an interruption and no 'mhm'. */
const BARGE_IN_AFTER_MS = 300;

/**
 * In a real browser whose microphone speaks over the interviewer: how soon that falls silent, and how soon the
 * microphone is off.
 */
export async function voiceBrowserRows(): Promise<Row[]> {
  const speech = await startSpeechServices(20_000);
  const folder = await mkdtemp(path.join(tmpdir(), 'smca-bench-browser-'));
  const microphone = path.join(folder, 'satz.wav');
  await writeFile(microphone, encodeWav(Buffer.concat([silence(PAUSE_MS), await fixturePcm('satz-a.wav')]), 16_000));
  const server = spawnServer({ ...speech.env, DATA_DIR: path.join(folder, 'data'), LOG_LEVEL: 'error' });
  const { executablePath, env } = await testBrowser();
  const browser = await chromium.launch({
    executablePath,
    env: { ...process.env, ...env },
    args: [
      '--no-sandbox',
      '--use-fake-ui-for-media-stream',
      '--use-fake-device-for-media-stream',
      `--use-file-for-fake-audio-capture=${microphone}`,
    ],
  });
  try {
    const url = await server.url;
    const context = await browser.newContext({ baseURL: url, permissions: ['microphone'], serviceWorkers: 'block' });
    const page = await context.newPage();
    await page.addInitScript(withoutRecognition);
    await page.addInitScript(watchEndings);
    await page.addInitScript(watchInterruptions);
    await logIn(page, path.join(folder, 'data'));
    speech.words.push(...Array.from({ length: 2 * SAMPLES }, (_, nth) => `Das ist meine Antwort Nummer ${nth} dazu.`));
    await page.goto('/interview/free-topic');
    await page.getByRole('button', { name: 'Ich habe die Hinweise gelesen' }).click();
    await page.getByRole('button', { name: 'Interview starten' }).click();
    await page.waitForFunction((count) => Reflect.get(globalThis, 'interruptions').length >= count, SAMPLES, {
      timeout: 120_000,
    });
    const latencies: number[] = await page.evaluate(() => Reflect.get(globalThis, 'interruptions'));
    const released = await releases(page);
    const latency = median(latencies);
    return [
      ceiling('voice: first sound of the user to the interviewer fading, median', latency, 'ms'),
      ceiling('voice: the same, once 0.3 s were spoken', latency - BARGE_IN_AFTER_MS, 'ms', 300),
      ceiling('voice: end to the microphone released, worst of four', Math.max(...released), 'ms', 500),
    ];
  } finally {
    await browser.close();
    await server.end('SIGTERM');
    await Promise.all([speech.stop(), rm(folder, { recursive: true, force: true })]);
  }
}

/** The packaged browser has the interface without the service behind it and dies of its first use. */
function withoutRecognition(): void {
  Reflect.deleteProperty(globalThis, 'SpeechRecognition');
  Reflect.deleteProperty(globalThis, 'webkitSpeechRecognition');
}

type Account = Readonly<{ email: string; password: string; role: string }>;

async function logIn(page: Page, dataDir: string): Promise<void> {
  const accounts = JSON.parse(await readFile(path.join(dataDir, 'zugangsdaten.json'), 'utf8')) as Account[];
  const account = accounts.find(({ role }) => role === 'vdi_admin');
  await page.goto('/login');
  await page.getByLabel('E-Mail').fill(account?.email ?? '');
  await page.getByLabel('Passwort', { exact: true }).fill(account?.password ?? '');
  await page.getByRole('button', { name: 'Anmelden', exact: true }).click();
  await page.waitForURL((address) => !address.pathname.startsWith('/login'));
}

/** Ends by the person, four times. */
async function releases(page: Page): Promise<number[]> {
  for (let nth = 0; nth < 4; nth += 1) {
    if (nth > 0) await page.getByRole('button', { name: 'Interview wiederholen' }).click();
    await page.getByRole('button', { name: 'Interview beenden' }).click();
    await page.getByRole('button', { name: 'Interview wiederholen' }).waitFor();
  }
  const seen = await endings(page);
  const ends = seen.filter(({ cause }) => cause === 'click Interview beenden');
  return ends.map(({ ms, microphones }) => (microphones.includes('live') ? Infinity : ms));
}

/**
 * Runs in the page: from the first loud sample that left the microphone to the interruption that arrived, each time.
 */
function watchInterruptions(): void {
  const interruptions: number[] = [];
  Object.assign(globalThis, { interruptions });
  const LOUD = 1_000;
  const RATE = 16_000;
  const QUIET_MS = 1_000;
  let loudAt = -Infinity;
  let onset = 0;
  const listen = (base64: string): void => {
    const bytes = Uint8Array.from(atob(base64), (one) => one.charCodeAt(0));
    const samples = new Int16Array(bytes.buffer);
    const begun = performance.now() - (samples.length / RATE) * 1_000;
    for (const [at, sample] of samples.entries()) {
      if (Math.abs(sample) < LOUD) continue;
      const now = begun + (at / RATE) * 1_000;
      if (now - loudAt > QUIET_MS) onset = now;
      loudAt = now;
    }
  };
  globalThis.WebSocket = class extends WebSocket {
    constructor(url: string | URL, protocols?: string | string[]) {
      super(url, protocols);
      this.addEventListener('message', ({ data }) => {
        if (JSON.parse(String(data)).type === 'interruption') interruptions.push(performance.now() - onset);
      });
    }
    override send(data: string): void {
      super.send(data);
      const chunk: unknown = JSON.parse(data).user_audio_chunk;
      if (typeof chunk === 'string') listen(chunk);
    }
  };
}
