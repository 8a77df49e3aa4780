import type { Page } from '@playwright/test';
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

// The areas share their colours.
const ROUTES = [
  ...FLOWS.map((part) => `/firma-a${part}`),
  ...FLOWS.map((part) => `/firma-b${part}`),
  ...TEST_AREA.map((part) => `/testnormec${part}`),
];

/** A screen without its words: what stands where, how it is drawn, and where there are a text and a name. */
function readBuild(page: Page): Promise<string> {
  return page.evaluate(() => {
    const drawn = ['class', 'style', 'role', 'type', 'tabindex', 'hidden', 'disabled', 'inert', 'lang', 'scope'];
    const read = (node: Node): string => {
      if (node instanceof Text) return node.data.trim() === '' ? '' : 'text';
      if (!(node instanceof Element)) return '';
      const attributes = [...node.attributes].map(({ name, value }) =>
        drawn.includes(name) || /^aria-(?!label|describedby|controls|owns)/.test(name)
          ? `${name}=${value}`
          : `${name}=${value.trim() === '' ? '' : 'given'}`,
      );
      return `<${node.tagName} ${attributes.join(' ')}>${[...node.childNodes].map(read).join('')}</>`;
    };
    return read(document.body);
  });
}

test('axe finds nothing on any route of the companies and the test area, in light and in dark', async ({
  page,
  loginAs,
}) => {
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await loginAs('admin');
  const seen = new Set<string>();
  for (const path of ROUTES) {
    await page.emulateMedia({ colorScheme: 'light' });
    await walkTo(page, path);
    await expect(page).toHaveURL(path);
    const build = await readBuild(page);
    // One that differs from a screen before in words alone has nothing else to find.
    if (seen.has(build)) continue;
    await expect.poll(() => findings(page), path).toEqual([]);
    await page.emulateMedia({ colorScheme: 'dark' });
    await expect.poll(() => findings(page, COLOURS), `${path} in dark`).toEqual([]);
    seen.add(build);
  }
  expect(seen.size, 'each flow has screens of its own').toBeGreaterThan(10);
});
