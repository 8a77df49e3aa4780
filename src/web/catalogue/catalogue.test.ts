import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import config from '../../../vite.config.ts';

const read = (file: string): string => readFileSync(file, 'utf8');
/** Drawn by ToastProvider; a place without a look of its own. */
const NOT_SHOWN = ['toaster.tsx', 'late-section.tsx'];

test('The catalogue shows every part of the design system', () => {
  const pages = globSync('src/web/catalogue/*.tsx').map(read).join('\n');
  const parts = globSync('*.tsx', { cwd: 'src/web/ui' }).filter((file) => !file.endsWith('.test.tsx'));
  expect(parts.length).toBeGreaterThan(20);
  expect(parts.filter((file) => !NOT_SHOWN.includes(file) && !pages.includes(`#web/ui/${file}`))).toEqual([]);
});

test('The contents name every part of the catalogue', () => {
  const page = read('src/web/catalogue/main.tsx');
  const ids = globSync('src/web/catalogue/*.tsx').flatMap((file) =>
    [...read(file).matchAll(/<Part\s+id="([^"]+)"/g)].map((match) => match[1]),
  );
  expect(ids.length).toBeGreaterThan(10);
  expect(ids.filter((id) => !new RegExp(`[ {]'?${id}'?: '`).test(page))).toEqual([]);
});

test('Neither the build nor a file of the application enters the catalogue', () => {
  expect(JSON.stringify(config.build?.rollupOptions?.input)).not.toContain('catalogue');
  const others = globSync('src/web/**/*.{ts,tsx,html}').filter((file) => !/catalogue(?:\/|\.html)/.test(file));
  expect(others.length).toBeGreaterThan(100);
  expect(others.filter((file) => /catalogue\/|catalogue\.html/.test(read(file)))).toEqual([]);
});
