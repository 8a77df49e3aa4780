import { expect, test } from './application.ts';

const IPHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 Version/19.0 Mobile/15E148 Safari/604.1';
const DESK = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/156.0 Safari/537.36';

for (const [device, userAgent, loads] of [
  ['an iPhone', IPHONE, true],
  ['a desk', DESK, false],
] as const) {
  test.describe(`on ${device}`, () => {
    test.use({ userAgent });

    test(`The admin's logout ${loads ? 'loads the page again' : 'stays in the page'} (§4)`, async ({
      page,
      loginAs,
    }) => {
      await loginAs('admin');
      await expect(page).toHaveURL('/admin');
      await page.evaluate(() => Reflect.set(globalThis, 'samePage', true));
      await page.getByRole('button', { name: 'Abmelden' }).click();
      await expect(page).toHaveURL('/login');
      await expect(page.getByRole('button', { name: 'Anmelden' })).toBeVisible();
      // Unlike `evaluate`, waitForFunction outlives the page it was asked on: a reload may come in between.
      await page.waitForFunction((expected) => Reflect.has(globalThis, 'samePage') === expected, !loads);
    });
  });
}
