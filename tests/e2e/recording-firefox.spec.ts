import { createUser } from '#tests/support/accounts.ts';
import { firefoxPath, openFirefox } from '#tests/support/firefox.ts';
import { expect, test } from './application.ts';
import { logIn, press, shows } from './firefox-page.ts';

const executable = firefoxPath();

/** Runs in the page: what the player says of the recording, and where its sound is. */
const readPlayer = () => ({
  says: document.querySelector('[type=range]')?.getAttribute('aria-valuetext'),
  position: document.querySelector('audio')?.currentTime,
});

if (executable === undefined) {
  process.stdout.write('No Firefox with sound on this machine: no recording is tried in one.\n');
} else {
  test('In Firefox: a recording has a length, and places in it can be sought (§2.6, decision 0377)', async ({
    server,
  }) => {
    const user = await createUser(server, { role: 'vdi_admin' });
    const page = await openFirefox(executable);
    try {
      await logIn(page, server.url, user);
      await page.goto(`${server.url}/voice-message`);
      await press(page, 'Aufnahme starten');
      await shows(page, /00:(0[3-9]|[1-5]\d)von 05:00/);
      await press(page, 'Aufnahme beenden');
      await expect
        .poll(() => page.run(readPlayer))
        .toMatchObject({ says: expect.stringMatching(/^Minute 0:00 von 0:\d\d$/) });
      const position = await page.run(() => {
        const audio = document.querySelector('audio');
        return audio === null
          ? undefined
          : new Promise<number>((resolve) => {
              audio.addEventListener('seeked', () => resolve(audio.currentTime), { once: true });
              audio.currentTime = 1;
            });
      });
      expect(position).toBe(1);
    } finally {
      await page.close();
    }
  });
}
