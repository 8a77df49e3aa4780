import { chromium, type Page } from '@playwright/test';
import { createUser } from '#tests/support/accounts.ts';
import { bootServer, type TestServer } from '#tests/support/boot.ts';
import { enterWithSession } from './application.ts';
import { expectAccessible } from './findings.ts';
import { expect, expectReleased, microphones, openInterview, said, test, watchEndings, write } from './interview.ts';

async function removeRecognition(page: Page): Promise<void> {
  await page.addInitScript(() => {
    Reflect.deleteProperty(globalThis, 'SpeechRecognition');
    Reflect.deleteProperty(globalThis, 'webkitSpeechRecognition');
  });
}

async function enter(page: Page, server: TestServer): Promise<void> {
  await removeRecognition(page);
  await enterWithSession(page, server, await createUser(server, { role: 'vdi_admin' }), '/');
}

const UI = '--use-fake-ui-for-media-stream';
const MICROPHONES = [
  ['denies the microphone', (arg: string) => [arg === UI ? `${arg}=deny` : arg], /Mikrofon-Zugriff wurde verweigert/],
  ['has none', (arg: string) => (/fake-(device|audio)/.test(arg) ? [] : [arg]), /Es wurde kein Mikrofon gefunden/],
] as const;

for (const [what, change, reason] of MICROPHONES)
  test(`A browser that really ${what}: the error state, then typing (§4)`, async ({ launchOptions, server }) => {
    const args = (launchOptions.args ?? []).flatMap(change);
    const browser = await chromium.launch({ ...launchOptions, args });
    const page = await browser.newPage({ baseURL: server.url, locale: 'de-DE' });
    await enter(page, server);
    await openInterview(page);
    await page.getByRole('button', { name: 'Interview starten' }).click();
    await expect(
      page.getByRole('alert').filter({ hasText: 'Verbindungsfehler. Bitte versuchen Sie es erneut.' }),
    ).toBeVisible();
    await expect(page.getByText(reason)).toBeVisible();
    await expect(page.getByRole('button', { name: 'Erneut versuchen' })).toBeEnabled();
    if (what === 'denies the microphone') await expectAccessible(page);
    await page.getByRole('button', { name: 'Lieber schreiben statt sprechen' }).click();
    await write(page, 'Dann eben schriftlich.');
    await browser.close();
  });

test('Without any service, voice and recognition: the same interview by typing; a browser may listen (D21)', async ({
  browser,
}) => {
  const server = await bootServer();
  const page = await browser.newPage({ baseURL: server.url, locale: 'de-DE' });
  await enter(page, server);
  await openInterview(page, '/interview/free-topic');
  await page.getByRole('button', { name: 'Interview starten' }).click();
  await expect(page.getByText('Du bist dran')).toBeVisible();
  await write(page, 'Ein Kran, der sich selbst aufstellt.');
  await expect(said(page)).toHaveCount(3);
  page.on('dialog', (dialog) => void dialog.accept());

  // speech.md: where the server cannot listen the browser does.
  await page.addInitScript(watchEndings);
  await page.addInitScript(() => {
    class Recognition extends EventTarget {
      get processLocally(): boolean {
        return true;
      }
      set processLocally(_: boolean) {}
      start(): void {
        const results = [Object.assign([{ transcript: 'Wir bauen einen Kran' }], { isFinal: true })];
        const event = Object.assign(new Event('result'), { resultIndex: 0, results });
        setTimeout(() => this.dispatchEvent(event), 300);
      }
      stop(): void {}
      abort(): void {}
    }
    Object.assign(globalThis, { SpeechRecognition: Recognition });
  });
  await openInterview(page);
  await page.getByRole('button', { name: 'Interview starten' }).click();
  await expect(page.getByText('Der Interviewer hört dir zu')).toBeVisible();
  await expect(said(page).filter({ hasText: 'Wir bauen einen Kran' })).toContainText('Du');
  expect(await microphones(page)).toContain('live');
  await page.getByRole('button', { name: 'Interview beenden' }).click();
  await expectReleased(page);
  await page.close();
  await server.stop();
});

test('A voice client that is lost on a broken line is fetched again by the next press, without a reload (§4)', async ({
  page,
  server,
}) => {
  const files = await loseVoiceClient(page);
  await enter(page, server);
  await openInterview(page);
  await page.getByRole('button', { name: 'Interview starten' }).click();
  await expect(page.getByRole('alert').filter({ hasText: 'Verbindungsfehler.' })).toBeVisible();
  await page.unroute(files);
  await page.getByRole('button', { name: 'Erneut versuchen' }).click();
  await expect(page.getByRole('timer', { name: 'Interviewdauer' })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Interview beenden' })).toBeEnabled();
});

/** The files of the voice client do not come until the returned pattern is taken off. */
async function loseVoiceClient(page: Page): Promise<RegExp> {
  await page.goto('/impressum');
  const names = await page.locator('meta[name="part:voice-client"]').getAttribute('content');
  const [first = 'missing'] = (names ?? '').split(' ');
  const files = new RegExp(`${first.replaceAll('.', '\\.')}$`);
  await page.route(files, (route) => route.abort('connectionfailed'));
  return files;
}
