import { expect, type Page } from '@playwright/test';

/**
 * §8: what is said, in the screen of a flow or as the one toast. Screen readers get a copy of a toast elsewhere in the
 * page, so the card itself is looked for.
 */
export async function expectToast(page: Page, title: string, description = ''): Promise<void> {
  const said = page.locator('[data-variant]').filter({ hasText: title }).filter({ hasText: description });
  await expect(said.first()).toBeVisible();
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
