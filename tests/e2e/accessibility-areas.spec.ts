import { AxeBuilder } from '@axe-core/playwright';
import { expect, test } from './application.ts';

/** Every route of the areas beside the generic one, whole axe, in light and in dark (`accessibility.spec.ts` has the rest). */
const FLOWS = [
  '', '/content-selection', '/interview-category', '/interview', '/interview/engineering-path', '/interview/behind-scenes',
  '/interview/tech-dive', '/interview/free-topic', '/voice-message', '/upload', '/video-upload', '/image-upload',
  '/document-upload', '/image-upload-after-voice', '/thank-you',
]; // prettier-ignore
const TEST_AREA = [
  '',
  '/interview-category',
  '/interview/behind-scenes',
  '/interview/tech-dive',
  '/voice-message',
  '/thank-you',
];

for (const [area, parts] of [
  ['/firma-a', FLOWS],
  ['/firma-b', FLOWS],
  ['/testnormec', TEST_AREA],
] as const) {
  for (const colorScheme of ['light', 'dark'] as const) {
    test(`axe finds nothing on any route of ${area} in ${colorScheme}`, async ({ page, loginAs }) => {
      test.setTimeout(120_000);
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await loginAs('admin');
      for (const part of parts) {
        await page.goto(`${area}${part}`);
        await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
        const { violations } = await new AxeBuilder({ page }).analyze();
        expect(violations.map(({ id, nodes }) => [part, id, nodes.map(({ html }) => html)])).toEqual([]);
      }
    });
  }
}
