import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, type Page } from '@playwright/test';
import type { AxeResults, RunOptions, Spec } from 'axe-core';

const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
const SOURCE = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');

/** All that differs between light and dark. */
export const COLOURS = ['color-contrast', 'link-in-text-block'];

/**
 * What axe finds (WCAG 2.2 AA, or these rules), each with what a person needs to find the place: rule, element, why.
 * Read into a document once: half of the time of a question would be reading it again.
 */
export async function findings(page: Page, rules?: string[]): Promise<string[]> {
  for (const frame of page.frames()) {
    if (!(await frame.evaluate(() => 'axe' in globalThis))) await frame.evaluate(SOURCE);
    // A frame of somebody else's is asked, too.
    await frame.evaluate(() => window.axe.configure({ allowedOrigins: ['<unsafe_all_origins>'] }));
  }
  const options: RunOptions = {
    runOnly: rules === undefined ? { type: 'tag', values: TAGS } : { type: 'rule', values: rules },
    resultTypes: ['violations'],
  };
  const { violations } = await atFullHeight(page, () =>
    page.evaluate((asked) => window.axe.run(document, asked), options),
  );
  return violations.flatMap(({ id, nodes }) =>
    nodes.map((node) => `${id}: ${node.target.join(' ')} ${node.any[0]?.message ?? node.failureSummary ?? ''}`),
  );
}

/** Windows below this height let the bars scroll with the page. */
const FIXED_BARS_FROM = 500;

/** A page in a window as high as itself: axe takes what a fixed bar hides, until it is scrolled, for covered. */
async function atFullHeight<T>(page: Page, work: () => Promise<T>): Promise<T> {
  const size = page.viewportSize();
  const height = await page.evaluate(() => document.documentElement.scrollHeight);
  if (size === null || size.height < FIXED_BARS_FROM || height <= size.height) return work();
  await page.setViewportSize({ ...size, height });
  try {
    return await work();
  } finally {
    await page.setViewportSize(size);
  }
}

/** Nothing to find as it stands, in light and in dark. What moved until now comes to its end first. */
export async function expectAccessible(page: Page): Promise<void> {
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
  await expect.poll(() => findings(page), 'in light').toEqual([]);
  await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' });
  await expect.poll(() => findings(page, COLOURS), 'in dark').toEqual([]);
}

/** Presses Tab until it is there; people who cannot see have no other way. */
export async function tabTo(
  page: Page,
  role: 'link' | 'button' | 'textbox' | 'checkbox',
  name: string | RegExp,
): Promise<void> {
  const target = page.getByRole(role, { name, ...(typeof name === 'string' ? { exact: true } : {}) }).first();
  await target.waitFor();
  for (let presses = 0; presses < 60; presses += 1) {
    if (await target.evaluate((element) => element === document.activeElement)) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`not reached with the keyboard: ${role} ${String(name)}`);
}

declare global {
  interface Window {
    axe: { run: (context: Document, options: RunOptions) => Promise<AxeResults>; configure: (spec: Spec) => void };
  }
}
