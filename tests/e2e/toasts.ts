import { expect, type Page } from '@playwright/test';

/**
 * §8: what is said, in the screen of a flow or as the one toast. Screen readers get a copy of a toast elsewhere in the
 * page, so the card itself is looked for.
 */
export async function expectToast(page: Page, title: string, description = ''): Promise<void> {
  const said = page.locator('[data-variant]').filter({ hasText: title }).filter({ hasText: description });
  await expect(said.first()).toBeVisible();
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

/**
 * Collects the texts of toasts from the next page on, for a toast that comes while a page is being loaded: a busy page
 * may show it only between two looks.
 */
export async function collectToasts(page: Page): Promise<() => Promise<readonly string[]>> {
  await page.addInitScript(() => {
    const texts: string[] = [];
    Reflect.set(globalThis, 'toasts', texts);
    new MutationObserver((records) => {
      for (const node of records.flatMap(({ addedNodes }) => [...addedNodes]))
        if (node instanceof HTMLElement && node.dataset['variant'] !== undefined) texts.push(node.textContent);
    }).observe(document, { childList: true, subtree: true });
  });
  return () => page.evaluate(() => Reflect.get(globalThis, 'toasts') as readonly string[]);
}
