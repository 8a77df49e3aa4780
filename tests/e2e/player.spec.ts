import type { Page } from '@playwright/test';
import type { TestServer } from '#tests/support/boot.ts';
import { asOwner } from '#tests/support/callers.ts';
import { contribute } from '#tests/support/desk.ts';
import { expect, test } from './application.ts';
import { storeFile, toDesk } from './desk.ts';
import { expectAccessible } from './findings.ts';
import { record } from './voice-message.ts';

const RATE = 8_000;

/** A WAV of a tone that swells once a sentence of 4 s, so that a waveform has hills. */
function tone(seconds: number): Buffer {
  const samples = Buffer.alloc(seconds * RATE * 2);
  for (let at = 0; at < seconds * RATE; at += 1) {
    const loud = Math.sin((Math.PI * ((at / RATE) % 4)) / 4) ** 2;
    samples.writeInt16LE(Math.round(12_000 * loud * Math.sin((2 * Math.PI * 220 * at) / RATE)), at * 2);
  }
  const head = Buffer.alloc(44);
  head.write('RIFF    WAVEfmt ', 0, 'latin1');
  head.writeUInt32LE(36 + samples.length, 4);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(RATE, 24);
  head.writeUInt32LE(RATE * 2, 28);
  head.writeUInt16LE(2, 32);
  head.writeUInt16LE(16, 34);
  head.write('data', 36, 'latin1');
  head.writeUInt32LE(samples.length, 40);
  return Buffer.concat([head, samples]);
}

const SENTENCES = [
  { start: 0, text: 'Die Prüfmaschine ist neu.' },
  { start: 4, text: 'Sie misst jedes Bauteil.' },
  { start: 8, text: 'Das dauert zwei Sekunden.' },
];

/** A voice message of three sentences whose times are known, and a second recording. */
async function spokenContribution(server: TestServer): Promise<number> {
  const id = await contribute(server, {
    transcript: SENTENCES.map(({ text }) => text).join(' '),
    lastName: 'Lovelace',
    email: 'ada@beispiel.test',
    origin: { area: 'firma-a', kind: 'voice_message', topic: 'tech-dive' },
  });
  await storeFile(server, id, { path: '1763719200000_b.wav', type: 'audio/wav', bytes: tone(2) });
  await storeFile(server, id, { path: '1763719200001_a.wav', type: 'audio/wav', bytes: tone(12) });
  await asOwner(server.databaseUrl, (client) =>
    client.query('update media_uploads set spoken = $1 where file_path = $2', [
      JSON.stringify(SENTENCES),
      `${id}/1763719200001_a.wav`,
    ]),
  );
  return id;
}

const player = (page: Page, name: string) => {
  const group = page.getByRole('group', { name });
  const media = group.locator('audio, video');
  return {
    group,
    button: (label: string) => group.getByRole('button', { name: label, exact: true }),
    slider: group.getByRole('slider', { name: 'Wiedergabe' }),
    position: () => media.evaluate((element: HTMLMediaElement) => element.currentTime),
    paused: () => media.evaluate((element: HTMLMediaElement) => element.paused),
    rate: () => media.evaluate((element: HTMLMediaElement) => element.playbackRate),
  };
};

test('A recording at the desk plays, seeks by keys, jumps by ten seconds and by sentence, and marks what is heard (0265)', async ({
  page,
  server,
}) => {
  test.slow();
  const id = await spokenContribution(server);
  const known = Promise.withResolvers<void>();
  await page.route('**/rest/v1/media_uploads?*spoken*', (route) => known.promise.then(() => route.continue()));
  await toDesk(page, server, `/admin/eingang/${id}`);
  const { group, button, slider, position, paused, rate } = player(page, 'Aufnahme 2 (WAV)');
  await expect(group.locator('.waveform')).toHaveCount(2);
  await expect(slider).toHaveAttribute('aria-valuetext', 'Minute 0:00 von 0:12');
  // A letter outside of a player does nothing (WCAG 2.1.4).
  await page.keyboard.press('k');
  expect(await paused()).toBe(true);

  // A position that is sought before the times of the words are known.
  await slider.press('ArrowRight');
  await expect(slider).toHaveAttribute('aria-valuetext', 'Minute 0:05 von 0:12');
  await expect(page.locator('mark')).toHaveCount(0);
  known.resolve();
  await expect(page.locator('mark')).toHaveText(/^\s*Sie misst jedes Bauteil\.\s*$/);
  await expectAccessible(page);
  await slider.press('End');
  await expect(slider).toHaveAttribute('aria-valuetext', 'Minute 0:12 von 0:12');
  await button('10 Sekunden zurück').click();
  await expect(slider).toHaveAttribute('aria-valuetext', 'Minute 0:02 von 0:12');
  await button('Nächster Satz').click();
  await expect(slider).toHaveAttribute('aria-valuetext', 'Minute 0:04 von 0:12');
  await button('Nächster Satz').click();
  await expect(page.locator('mark')).toHaveText(/Das dauert zwei Sekunden\./);
  await button('Satz zurück').click();
  await expect(slider).toHaveAttribute('aria-valuetext', 'Minute 0:04 von 0:12');

  await button('Satz zurück').press('k');
  await expect.poll(position).toBeGreaterThan(4.2);
  await expect(button('Anhalten')).toBeVisible();
  // One is heard at a time.
  const other = player(page, 'Aufnahme 1 (WAV)');
  await expect(other.button('Nächster Satz')).toHaveCount(0);
  await other.button('Abspielen').click();
  await expect.poll(paused).toBe(true);
  await expect.poll(other.position).toBeGreaterThan(0);

  // A chosen speed is kept on the device; a file that does not load can be tried again, at a fresh address.
  await group.getByRole('combobox', { name: 'Geschwindigkeit' }).selectOption('1,5×');
  expect(await rate()).toBe(1.5);
  let lost = true;
  await page.route(/\/object\/sign\/Media\/.*_a\.wav/, (route) => (lost ? route.abort() : route.fallback()));
  await page.reload();
  await expect(group.getByText(/^Diese Datei lässt sich hier nicht abspielen\./)).toBeVisible();
  await expect(group.getByRole('button', { name: 'Herunterladen' })).toBeVisible();
  await expectAccessible(page);
  lost = false;
  await group.getByRole('button', { name: 'Erneut versuchen' }).click();
  await expect(slider).toHaveAttribute('aria-valuetext', 'Minute 0:00 von 0:12');
  await expect.poll(rate).toBe(1.5);
  await expect(group.getByRole('combobox', { name: 'Geschwindigkeit' })).toHaveValue('1.5');
});

test('A film has captions and full screen (0265)', async ({ page, server }) => {
  const id = await contribute(server, { transcript: 'Die Pumpe läuft.', lastName: 'Zuse', email: 'p@beispiel.test' });
  const film = await page.evaluate(recordFilm);
  await storeFile(server, id, { path: '1763719200000_f.webm', type: 'video/webm', bytes: Buffer.from(film, 'base64') });
  await asOwner(server.databaseUrl, (client) =>
    client.query('update media_uploads set spoken = $1 where interview_id = $2', [JSON.stringify(SENTENCES), id]),
  );
  await toDesk(page, server, `/admin/eingang/${id}`);
  const { group, button, slider } = player(page, 'Video 1 (WEBM)');
  await expect(slider).toHaveAttribute('aria-valuetext', /^Minute 0:00 von 0:(0[1-9]|[1-5]\d)$/);
  await button('Untertitel').click();
  await expect(button('Untertitel')).toHaveAttribute('aria-pressed', 'true');
  const cues = () => group.locator('video').evaluate((video: HTMLVideoElement) => video.textTracks[0]?.cues?.length);
  await expect.poll(cues).toBe(3);
  await expectAccessible(page);
  await button('Vollbild').click();
  await expect.poll(() => page.evaluate(() => document.fullscreenElement?.tagName)).toBe('FIELDSET');
  await button('Vollbild').click();
  await expect.poll(() => page.evaluate(() => document.fullscreenElement)).toBe(null);
});

/** A film as a browser records it, without a length in its head. */
async function recordFilm(): Promise<string> {
  const canvas = document.createElement('canvas');
  const paint = canvas.getContext('2d');
  const recorder = new MediaRecorder(canvas.captureStream(10), { mimeType: 'video/webm' });
  const parts: Blob[] = [];
  recorder.ondataavailable = ({ data }) => parts.push(data);
  const stopped = new Promise((resolve) => (recorder.onstop = resolve));
  recorder.start();
  await new Promise<void>((resolve) => {
    let frame = 0;
    const timer = setInterval(() => {
      paint?.fillRect(frame * 10, 20, 8, 40);
      frame += 1;
      if (frame < 20) return;
      clearInterval(timer);
      resolve();
    }, 100);
  });
  recorder.stop();
  await stopped;
  const bytes = new Uint8Array(await new Blob(parts).arrayBuffer());
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
}

test('A recording just made has a length and a waveform before it is sent (§2.6, decision 0265)', async ({
  page,
  loginAs,
}) => {
  await loginAs('vdi_admin', '/voice-message');
  await record(page, 2);
  const { group, button, slider, position } = player(page, 'Wiedergabe');
  await expect(slider).toHaveAttribute('aria-valuetext', /^Minute 0:00 von 0:(0[1-9]|[1-5]\d)$/);
  await expect(group.locator('.waveform')).toHaveCount(2);
  await expect(button('Abspielen')).toBeFocused();
  await page.keyboard.press('Enter');
  await expect.poll(position).toBeGreaterThan(0.2);
  await expectAccessible(page);
});
