import { globSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

/** Where a screen cannot be loaded, the whole page says so and offers a reload. */
const SCREENS = /\/(?:screens|flow-screens|media-upload-route|admin-route)\.tsx$/;
/** The first is drawn within a screen, the application makes the second a later part. */
const ALLOWED = ['./draft-with-model.tsx', './toaster.tsx'];

it('What is imported late is a screen or a later part: a broken line loses neither (decision 0305)', () => {
  const files = globSync('src/web/**/*.{ts,tsx}').filter((file) => !/\.test\.tsx?$|^src\/web\/catalogue\//.test(file));
  const late = files.flatMap((file) => {
    const text = readFileSync(file, 'utf8');
    return [...text.matchAll(/(?<!typeof )import\('([^']+)'\)/g)].map(({ index, 1: module = '' }) => {
      const statement = text.slice(text.lastIndexOf('\n\n', index), index);
      return { file, module, isPart: /aterPart\(|lazyPart\(/.test(statement) };
    });
  });
  const lost = late.filter(({ file, module, isPart }) => !isPart && !SCREENS.test(file) && !ALLOWED.includes(module));
  expect(late.filter(({ isPart }) => isPart).length).toBeGreaterThan(15);
  expect(lost.map(({ file, module }) => `${file}: ${module}`)).toEqual([]);
});
