import { expect, openInterview, startInterview, test } from './interview.ts';

type Watched = Readonly<{ gains: GainNode[]; locks: string[]; chunks: number[] }>;

/** Runs in the page: how loud the interviewer is played, what is asked of the screen, how loud the person is sent. */
function watchControls(): void {
  const watched: Watched = { gains: [], locks: [], chunks: [] };
  Object.assign(globalThis, { watched });
  globalThis.AudioContext = class extends AudioContext {
    override createGain(): GainNode {
      const gain = super.createGain();
      watched.gains.push(gain);
      return gain;
    }
  };
  const lock = { request: () => Promise.resolve({ release: async () => void watched.locks.push('released') }) };
  Object.defineProperty(navigator, 'wakeLock', {
    value: { request: (type: string) => (watched.locks.push(type), lock.request()) },
  });
  globalThis.WebSocket = class extends WebSocket {
    override send(data: string): void {
      super.send(data);
      const chunk: unknown = JSON.parse(data).user_audio_chunk;
      if (typeof chunk !== 'string') return;
      const bytes = Uint8Array.from(atob(chunk), (one) => one.charCodeAt(0));
      watched.chunks.push(Math.max(...new Int16Array(bytes.buffer).map(Math.abs)));
    }
  };
}

test('The interview has level meter, mute, volume and wake lock', async ({ page, loginAs }) => {
  await loginAs('vdi_admin');
  await page.addInitScript(watchControls);
  const watched = <T>(read: (all: Watched) => T): Promise<T> => page.evaluate(`(${String(read)})(watched)`);
  await openInterview(page);
  expect(await watched((all) => all.locks)).toEqual([]);
  await startInterview(page);
  await expect.poll(() => watched((all) => all.locks)).toEqual(['screen']);
  const level = page.getByRole('meter', { name: 'Pegel des Mikrofons' });
  const shown = (): Promise<number> => level.evaluate((meter: HTMLMeterElement) => meter.value);
  await expect.poll(shown).toBeGreaterThan(10);
  await expect.poll(() => watched((all) => Math.max(...all.chunks))).toBeGreaterThan(1_000);

  await page.getByRole('button', { name: 'Mikrofon stumm schalten' }).click();
  await expect(page.getByText('Dein Mikrofon ist stumm')).toBeVisible();
  await expect.poll(shown).toBe(0);
  // What was on its way may still come.
  const before = await watched((all) => all.chunks.length);
  const after = page.getByRole('button', { name: 'Mikrofon einschalten' });
  await expect(after).toBeVisible();
  await page.getByRole('button', { name: 'Ton und Mikrofon' }).click();
  await page.getByRole('slider', { name: 'Lautstärke' }).fill('30');
  await expect.poll(() => watched((all) => all.gains.map((gain) => Math.round(gain.gain.value * 100)))).toContain(30);
  const sent = await watched((all) => all.chunks);
  expect(sent.slice(before + 2).filter((loudest) => loudest > 0)).toEqual([]);
  await after.click();
  await expect(page.getByText('Der Interviewer hört dir zu')).toBeVisible();
  await page.getByRole('button', { name: 'Interview beenden' }).click();
  await expect.poll(() => watched((all) => all.locks)).toEqual(['screen', 'released']);
});
