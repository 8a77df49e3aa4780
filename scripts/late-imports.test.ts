import { globSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

/**
 * Where one cannot be loaded, the whole screen says so and offers a reload: the screens, and what is drawn within one.
 */
const SCREENS = /^src\/web\/(?:app\/(?:screens|flow-screens|media-upload-route|admin-route)\.tsx)$/;
const WITHIN_A_SCREEN = ['./draft-with-model.tsx'];
/** Handed to `laterPart` by the application. */
const HANDED_ON = ['./toaster.tsx'];

it('Whatever is imported late outside of a screen is a later part, or a line that breaks once loses it (decision 0305)', () => {
  const files = globSync('src/web/**/*.{ts,tsx}').filter((file) => !/\.test\.tsx?$|^src\/web\/catalogue\//.test(file));
  const late = files.flatMap((file) => {
    const text = readFileSync(file, 'utf8');
    return [...text.matchAll(/(?<!typeof )import\('([^']+)'\)/g)].map(({ index, 1: module = '' }) => {
      const statement = text.slice(text.lastIndexOf('\n\n', index), index);
      return { file, module, isPart: statement.includes('aterPart(') };
    });
  });
  const lost = late.filter(
    ({ file, module, isPart }) =>
      !isPart && !SCREENS.test(file) && ![...WITHIN_A_SCREEN, ...HANDED_ON].includes(module),
  );
  expect(late.filter(({ isPart }) => isPart).length).toBeGreaterThan(15);
  expect(lost.map(({ file, module }) => `${file}: ${module}`)).toEqual([]);
});
