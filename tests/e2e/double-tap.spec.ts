import type { Locator, Page } from '@playwright/test';
import { expect, microphones, openInterview, startInterview, test } from './interview.ts';
import { expectToastsLoaded } from './toasts.ts';

/** Two taps at one place at the right edge of a button, where the next screen has its own. */
const DOUBLE_TAPS = {
  mouse: (page: Page, x: number, y: number) => page.mouse.click(x, y, { clickCount: 2, delay: 60 }),
  // With times of their own: on a busy machine the second tap of two calls comes too late to be one.
  finger: async (page: Page, x: number, y: number) => {
    const session = await page.context().newCDPSession(page);
    const begun = Date.now() / 1000;
    const touch = (type: 'touchStart' | 'touchEnd', after: number) =>
      session.send('Input.dispatchTouchEvent', {
        type,
        touchPoints: type === 'touchStart' ? [{ x, y }] : [],
        timestamp: begun + after,
      });
    const touches = [
      touch('touchStart', 0),
      touch('touchEnd', 0.05),
      touch('touchStart', 0.2),
      touch('touchEnd', 0.25),
    ];
    await Promise.all(touches);
    await session.detach();
  },
} as const;

/** Runs in the page: a tap while it scrolls only stops it. */
function isAtRest(): Promise<boolean> {
  const before = scrollY;
  return new Promise((resolve) => {
    setTimeout(() => resolve(scrollY === before), 200);
  });
}

test.use({ viewport: { width: 360, height: 740 }, hasTouch: true });

test('The second tap of a double tap is not for the next screen, of a mouse and of a finger (decision 0364)', async ({
  page,
  loginAs,
}) => {
  await loginAs('vdi_admin');
  for (const [by, route] of [
    ['mouse', '/interview/behind-scenes'],
    ['finger', '/interview/free-topic'],
  ] as const) {
    const doubleTap = async (button: Locator): Promise<void> => {
      await page.waitForFunction(isAtRest);
      const box = await button.boundingBox();
      if (box === null) throw new Error('no button');
      await DOUBLE_TAPS[by](page, box.x + box.width - 30, box.y + box.height / 2);
    };
    const back = page.getByRole('button', { name: 'Zurück' });
    const read = page.getByRole('button', { name: 'Ich habe die Hinweise gelesen' });
    await openInterview(page, route);
    await expectToastsLoaded(page);
    // By now everything is loaded, and the button of the next screen is enabled at once.
    await back.click();
    await doubleTap(read);
    await expect(page.getByRole('button', { name: 'Interview starten' })).toBeEnabled();
    // A running interview has no way back.
    await back.click();
    await expect(read).toBeVisible();
    expect(await microphones(page)).toEqual([]);

    await read.click();
    await startInterview(page);
    await doubleTap(page.getByRole('button', { name: 'Interview beenden' }));
    const next = page.getByRole('button', { name: 'Weiter zum Bild-Upload' });
    await expect(next).toBeVisible();
    await expect(page).toHaveURL(route);
    await next.click();
    await expect(page).toHaveURL('/image-upload-after-voice');
  }
});
