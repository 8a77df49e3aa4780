import { expect, type Page } from '@playwright/test';

/**
 * §8: what is said, in the screen of a flow or as the one toast. Screen readers get a copy of a toast elsewhere in the
 * page, so the card itself is looked for.
 */
export async function expectToast(page: Page, title: string, description = ''): Promise<void> {
  const said = page.locator('[data-variant]').filter({ hasText: title }).filter({ hasText: description });
  const take = (): Promise<boolean> => page.evaluate(takeToast, [title, description] as const).catch(() => false);
  const isSaid = async (): Promise<boolean> => {
    const shown = await said.first().isVisible();
    return (await take()) || shown;
  };
  await expect.poll(isSaid, `${title} ${description}`).toBe(true);
}

/** Runs in the page: whether there was such a toast that no test has asked about yet (`rememberToasts`). */
function takeToast([title, description]: readonly [string, string]): boolean {
  const toasts: string[] = Reflect.get(globalThis, 'toasts');
  const at = toasts.findIndex((text) => text.includes(title) && text.includes(description));
  return at !== -1 && toasts.splice(at, 1).length > 0;
}

/** What begins with the toasts, right after the first screen: the focus is handed on, second taps are ignored. */
export async function expectToastsLoaded(page: Page): Promise<void> {
  await expect(page.getByRole('region', { name: /^Meldungen/ })).toBeAttached();
}

export async function expectNoToast(page: Page): Promise<void> {
  await expect(page.getByRole('region', { name: /^Meldungen/ }).getByRole('listitem')).toHaveCount(0);
}

/** §8: a message that stands in the screen it is about, in sight and under no toast. */
export async function expectNotice(page: Page, title: string, description = ''): Promise<void> {
  const notices = page.getByRole('main').locator('[role=alert], [role=status]');
  await expect(notices.filter({ hasText: title }).filter({ hasText: description }).first()).toBeInViewport();
  await expectNoToast(page);
}

/** The texts of the toasts since this page was opened, but for those that `expectToast` has found. */
export function readToasts(page: Page): Promise<readonly string[]> {
  return page.evaluate(() => Reflect.get(globalThis, 'toasts') as readonly string[]);
}
