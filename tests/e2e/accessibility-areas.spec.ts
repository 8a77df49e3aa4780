import { expect, test } from './application.ts';
import { COLOURS, findings } from './findings.ts';
import { walkTo } from './flow.ts';

/**
 * Every route of the areas beside the generic one, whole axe, in light and in dark (`accessibility.spec.ts` has the
 * rest).
 */
const FLOWS = [
  '',
  '/content-selection',
  '/interview-category',
  '/interview',
  '/interview/engineering-path',
  '/interview/behind-scenes',
  '/interview/tech-dive',
  '/interview/free-topic',
  '/voice-message',
  '/upload',
  '/video-upload',
  '/image-upload',
  '/document-upload',
  '/image-upload-after-voice',
  '/thank-you',
];
const TEST_AREA = [
  '',
  '/interview-category',
  '/interview/behind-scenes',
  '/interview/tech-dive',
  '/voice-message',
  '/thank-you',
];

// The areas share their colours: the second of two that differ in words alone is not asked in dark again.
for (const [area, parts, schemes] of [
  ['/firma-a', FLOWS, 'light and dark'],
  ['/firma-b', FLOWS, 'light'],
  ['/testnormec', TEST_AREA, 'light and dark'],
] as const) {
  test(`axe finds nothing on any route of ${area}, in ${schemes}`, async ({ page, loginAs }) => {
    await page.emulateMedia({ reducedMotion: 'reduce' });
    await loginAs('admin');
    for (const part of parts) {
      await page.emulateMedia({ colorScheme: 'light' });
      await walkTo(page, `${area}${part}`);
      await expect(page).toHaveURL(`${area}${part}`);
      await expect.poll(() => findings(page), part).toEqual([]);
      if (schemes === 'light') continue;
      await page.emulateMedia({ colorScheme: 'dark' });
      await expect.poll(() => findings(page, COLOURS), `${part} in dark`).toEqual([]);
    }
  });
}
