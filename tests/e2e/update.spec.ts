import type { Page } from '@playwright/test';
import { secondBuild, startInstallation, type Installation } from '#tests/support/two-builds.ts';
import { expect, test as base } from './application.ts';
import { answerAll, choose, film } from './files.ts';
import { getStored } from './flow.ts';
import { expectToast } from './toasts.ts';
import { leaveContact } from './voice-message.ts';

type Fixtures = { installation: Installation; next: string };

const test = base.extend<Fixtures>({
  // oxlint-disable-next-line no-empty-pattern -- Playwright reads the dependencies of a fixture from this pattern
  next: async ({}, provide) => {
    const built = await secondBuild();
    await provide(built.folder);
    await built.remove();
  },
  installation: async ({ server }, provide) => {
    const installation = await startInstallation(server.url);
    await provide(installation);
    await installation.stop();
  },
  baseURL: async ({ installation }, provide) => provide(installation.url),
});
test.use({ serviceWorkers: 'allow' });

const OFFER = 'Eine neue Version ist da.';
const LOAD = 'Neue Version laden';
const WORKING = 'Gerade läuft noch etwas.';

/** As the browser does by itself once in a while. */
async function lookForUpdate(page: Page): Promise<void> {
  const look = () =>
    page.evaluate(async () => {
      const registration = await navigator.serviceWorker.ready;
      await registration.update();
      return registration.waiting !== null;
    });
  // One that is under way already finds what was there before, and the next one joins it.
  await expect.poll(look).toBe(true);
}

/** Gone with the page: a reload cannot keep it. */
const mark = (page: Page) => page.evaluate(() => void Object.assign(window, { sameDocument: true }));
const isSame = (page: Page) => page.evaluate(() => 'sameDocument' in window);
const script = (page: Page) => page.evaluate(() => document.querySelector('script[src]')?.getAttribute('src') ?? '');

test('experience Offline: an update in the middle of a submission breaks nothing, and comes when it is over', async ({
  page,
  server,
  next,
  installation,
  loginAs,
}) => {
  const user = await loginAs('vdi_admin');
  await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined));
  await page.goto('/video-upload');
  const first = await script(page);
  await mark(page);
  await choose(page, film(7 * 1024 * 1024));
  await page.getByRole('button', { name: 'Weiter', exact: true }).click();
  await page.getByRole('button', { name: /Textformular/ }).click();
  await answerAll(page);

  const upload = installation.hold('PATCH', /\/upload\/resumable\//);
  await page.getByRole('button', { name: 'Absenden' }).click();
  await expect.poll(upload.held).toBeGreaterThan(0);
  installation.update(next);
  await lookForUpdate(page);
  // Offered, but not taken while something runs.
  await expect(page.getByText(OFFER)).toBeVisible();
  await page.getByRole('button', { name: LOAD }).click();
  await expectToast(page, WORKING);
  await expect(page.getByRole('progressbar', { name: 'Upload-Fortschritt' })).toBeVisible();

  upload.release();
  // A screen of the old version that the server does not have any more.
  await expect(page).toHaveURL('/thank-you');
  await expect(page.getByText('maschine.mp4')).toBeVisible();
  expect([await isSame(page), await script(page)]).toEqual([true, first]);
  await expect(page.getByText(OFFER)).toBeVisible();
  await leaveContact(page);
  await expect(page).toHaveURL('/');
  await expect.poll(() => script(page).catch(() => first)).not.toBe(first);
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  expect(await isSame(page)).toBe(false);

  const stored = await getStored(server, user);
  expect(stored.interviews).toMatchObject([{ contact_email: 'ada@beispiel.test' }]);
  expect(stored.media).toMatchObject([{ file_type: 'video/mp4' }]);
  expect(stored.objects).toHaveLength(1);
});
