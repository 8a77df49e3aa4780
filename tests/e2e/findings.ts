import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from '@playwright/test';

const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** All that differs between light and dark. A busy machine takes its time to repaint: ask until there is nothing. */
export const COLOURS = ['color-contrast', 'link-in-text-block'];

/** What axe finds (WCAG 2.2 AA, or these rules), each with what a person needs to find the place: rule, element, why. */
export async function findings(page: Page, rules?: string[]): Promise<string[]> {
  const axe = new AxeBuilder({ page });
  const { violations } = await (rules === undefined ? axe.withTags(TAGS) : axe.withRules(rules)).analyze();
  return violations.flatMap(({ id, nodes }) =>
    nodes.map((node) => `${id}: ${node.target.join(' ')} ${node.any[0]?.message ?? node.failureSummary ?? ''}`),
  );
}
