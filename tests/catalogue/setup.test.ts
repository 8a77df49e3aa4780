import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { SetupPartsSchema } from '#contract/setup-parts.ts';
import { ENV_NAMES } from '#server/env.ts';
import { CHECK_TEXTS } from '#web/features/setup/parts/check-texts.ts';
import { PART_TEXTS } from '#web/features/setup/parts/texts.ts';
import { PART_ORDER } from '#web/features/setup/parts/use-setup-parts.ts';

/** As a page of Markdown names its headings in addresses. */
function listAnchors(file: string): string[] {
  const headings = readFileSync(file, 'utf8').match(/^#+ .+$/gm) ?? [];
  return headings.map((line) =>
    line
      .replace(/^#+ /, '')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

test('The page „Einrichtung“ shows each part that the server tells of, once', () => {
  expect(PART_ORDER.toSorted()).toEqual(Object.keys(SetupPartsSchema.shape).toSorted());
});

describe.each(Object.entries(PART_TEXTS))('%s', (_name, { docs, lines }) => {
  test('Its instructions lead to a heading that exists', () => {
    const [file = '', anchor] = docs.split('#');
    expect(listAnchors(file)).toContain(anchor);
  });

  test('Its lines set variables that the server reads, or call a command that exists', () => {
    const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };
    for (const line of lines) {
      const [, variable] = /^([A-Z][\dA-Z_]*)=/.exec(line) ?? [];
      const [, command] = /(?:^|&& )npm (?:run )?(\w+)/.exec(line) ?? [];
      expect(variable === undefined ? Object.keys(scripts) : ENV_NAMES).toContain(variable ?? command);
    }
  });
});

test.each(Object.entries(CHECK_TEXTS))('The check of %s names variables that the server reads', (_part, texts) => {
  const named = `${texts.address} ${texts.key}`.match(/[A-Z][\dA-Z_]+/g) ?? [];
  expect(named.filter((variable) => !ENV_NAMES.includes(variable))).toEqual([]);
});
