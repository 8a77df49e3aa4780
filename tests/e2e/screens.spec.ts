import type { Page } from '@playwright/test';
import { fillFigures } from './admin.ts';
import { expect } from './application.ts';
import { fillDesk, richContribution } from './desk.ts';
import { show, SHOTS, type Shot } from './screens.ts';
import { test } from './visitors.ts';

/** `SCREENSHOTS=1 npx playwright test screens` writes docs/screens; `accessibility.spec.ts` visits and measures the same screens. */
const SHOWN = process.env['SCREENSHOTS'] === '1' ? SHOTS : [];
const WIDTHS = [
  [360, 740],
  [1440, 900],
] as const;
const DARK: readonly string[] = [
  'login',
  'start',
  'voice-message-recording',
  'thank-you',
  'admin',
  'desk-inbox',
  'desk-board',
  'desk-contribution',
];

test.use({ trace: 'off' });

/** A contribution with everything one can have. */
let rich = 0;

test.beforeAll(async ({ server }) => {
  if (SHOWN.length === 0) return;
  await fillFigures(server);
  await fillDesk(server);
  rich = await richContribution(server);
});

for (const shot of SHOWN) {
  test(`picture of ${shot.name}`, async ({ seatOf }) => {
    const { page, interviewId } = await seatOf(shot.visitor);
    await page.setViewportSize({ width: 360, height: 740 });
    await show(page, ...pictured(shot, interviewId));
    const folder = 'docs/screens';
    for (const [width, height] of WIDTHS) {
      await page.setViewportSize({ width, height });
      await take(page, `${folder}/${shot.name}-${width}.png`);
      if (!DARK.includes(shot.name)) continue;
      await page.emulateMedia({ colorScheme: 'dark' });
      await take(page, `${folder}/${shot.name}-dark-${width}.png`);
      await page.emulateMedia({ colorScheme: 'light' });
    }
    await page.goto('/impressum');
  });
}

function pictured(shot: Shot, interviewId: string): [Shot, string] {
  return shot.name === 'desk-contribution' ? [{ ...shot, heading: 'Ada Lovelace' }, String(rich)] : [shot, interviewId];
}

/** Without a message over it and without a pointer on it, once every change of colour has come to its end: two pictures alike. */
async function take(page: Page, path: string): Promise<void> {
  const close = page.getByRole('button', { name: 'Meldung schließen' });
  if (await close.isVisible()) await close.click();
  await page.mouse.move(0, 0);
  await page.evaluate(() => document.fonts.ready.then(() => undefined));
  await expect(page.getByText(/^Lade /)).toHaveCount(0);
  // A level meter never rests: then the tenth picture has to do.
  for (let before = '', tries = 0; tries < 10; tries += 1) {
    const picture = (await page.screenshot({ path })).toString('base64');
    if (picture === before) return;
    before = picture;
  }
}
