import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Page, WebSocketRoute } from '@playwright/test';
import { bootServer } from '#tests/support/boot.ts';
import { startSpeechServices, type SpeechServices } from '#tests/support/speech-services.ts';
import { fixturePcm, silence } from '#tests/support/voice-audio.ts';
import { expect, test as base } from './application.ts';
import { microphones, watchEndings } from './endings.ts';

export { expect, microphones, watchEndings };

export const SPOKEN = 'Wir bauen gerade eine neue Halle für unsere Prüfstände.';
const PAUSE_MS = 4_000;

/**
 * The application with loopback transcription and voice; its microphone says one sentence, is silent for 4 s, and so
 * on.
 */
export const test = base.extend<object, { services: SpeechServices }>({
  launchOptions: [
    async ({ launchOptions }, provide) => {
      const folder = await mkdtemp(path.join(tmpdir(), 'smca-microphone-'));
      const file = path.join(folder, 'satz.wav');
      await writeFile(file, wav(Buffer.concat([silence(PAUSE_MS), await fixturePcm('satz-a.wav')])));
      const others = (launchOptions.args ?? []).filter((arg) => !arg.startsWith('--use-file-for-fake-audio'));
      await provide({ ...launchOptions, args: [...others, `--use-file-for-fake-audio-capture=${file}`] });
      await rm(folder, { recursive: true, force: true });
    },
    { scope: 'worker' },
  ],
  services: [
    // oxlint-disable-next-line no-empty-pattern -- Playwright reads the dependencies of a fixture from this pattern
    async ({}, provide) => {
      const services = await startSpeechServices(200);
      await provide(services);
      await services.stop();
    },
    { scope: 'worker' },
  ],
  server: async ({ apart, getServer, services }, provide) => {
    // Another test's microphone may have said the same, byte for byte.
    services.forget();
    await provide(await getServer(apart, () => bootServer(services.env)));
  },
  page: async ({ page }, provide) => {
    await page.addInitScript(watchEndings);
    await provide(page);
  },
});

/** Notes read; the screen from which the interview starts is ready. */
export async function openInterview(page: Page, route = '/interview/behind-scenes'): Promise<void> {
  await page.goto(route);
  await page.getByRole('button', { name: 'Ich habe die Hinweise gelesen' }).click();
  await expect(page.getByRole('button', { name: 'Interview starten' })).toBeEnabled();
}

export async function startInterview(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Interview starten' }).click();
  await expect(page.getByRole('button', { name: 'Interview beenden' })).toBeVisible();
}

export async function write(page: Page, text: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Antwort schreiben' }).fill(text);
  await page.keyboard.press('Enter');
  await expect(said(page).filter({ hasText: text })).toBeVisible();
}

/** Lines of the conversation shown. */
export function said(page: Page): ReturnType<Page['locator']> {
  return page.getByRole('log', { name: 'Gespräch' }).getByRole('listitem');
}

/** §4 'The microphone is always released': there were some, and all have ended. */
export async function expectReleased(page: Page): Promise<void> {
  await expect.poll(() => microphones(page).then((states) => [...new Set(states)])).toEqual(['ended']);
}

/** The lines to the gateway, in order, to be cut by the test. */
export async function routeLines(page: Page): Promise<WebSocketRoute[]> {
  const lines: WebSocketRoute[] = [];
  await page.routeWebSocket(/\/v1\/convai\/conversation/, (line) => {
    line.connectToServer();
    lines.push(line);
  });
  return lines;
}

function wav(pcm: Buffer): Buffer {
  const header = Buffer.alloc(44);
  header.write('RIFF', 0);
  header.writeUInt32LE(36 + pcm.length, 4);
  header.write('WAVEfmt ', 8);
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(16_000, 24);
  header.writeUInt32LE(32_000, 28);
  header.writeUInt16LE(2, 32);
  header.writeUInt16LE(16, 34);
  header.write('data', 36);
  header.writeUInt32LE(pcm.length, 40);
  return Buffer.concat([header, pcm]);
}
