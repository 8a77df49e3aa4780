import { expect, type Page } from '@playwright/test';

/**
 * §8: what the one toast says. Screen readers get a copy of it elsewhere in the page, so it is looked for in its
 * region.
 */
export async function expectToast(page: Page, title: string, description?: string): Promise<void> {
  const toasts = page.getByRole('region', { name: /^Meldungen/ });
  await expect(toasts).toContainText(title);
  if (description !== undefined) await expect(toasts).toContainText(description);
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
