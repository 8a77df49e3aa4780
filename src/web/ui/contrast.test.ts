import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { contrast, parseOklch } from './contrast.ts';

const css = readFileSync('src/web/ui/tokens.css', 'utf8');
const TOKEN = /--([a-z-]+): light-dark\((oklch\([\d. ]+\)), (oklch\([\d. ]+\))\);/g;
const tokens = new Map([...css.matchAll(TOKEN)].map(([, name = '', light = '', dark = '']) => [name, { light, dark }]));

const TEXT = 4.5;
const CONTROL = 3;
const GROUNDS = ['paper', 'surface', 'sunken'];
const WASHES = ['accent-wash', 'record-wash', 'good-wash', 'caution-wash'];
const PAIRS: readonly (readonly [string, string, number])[] = [
  ...[...GROUNDS, ...WASHES].map((ground) => ['ink', ground, 7] as const),
  ...[...GROUNDS, ...WASHES].map((ground) => ['muted', ground, TEXT] as const),
  ...['accent', 'record', 'good', 'caution'].flatMap((tone) =>
    [...GROUNDS, `${tone}-wash`].map((ground) => [`${tone}-ink`, ground, TEXT] as const),
  ),
  ...['accent', 'accent-strong'].map((ground) => ['on-accent', ground, TEXT] as const),
  ...['record', 'record-strong'].map((ground) => ['on-record', ground, TEXT] as const),
  ...GROUNDS.flatMap((ground) =>
    ['accent', 'record', 'good', 'focus', 'line-strong'].map((tone) => [tone, ground, CONTROL] as const),
  ),
];

function colour(name: string, theme: 'light' | 'dark') {
  return parseOklch(tokens.get(name)?.[theme] ?? `no token ${name}`);
}

describe.each(['light', 'dark'] as const)('WCAG 2.2 AA 1.4.3, 1.4.11 in the %s theme', (theme) => {
  it.each(PAIRS)('%s on %s reaches %s', (front, ground, wanted) => {
    expect(contrast(colour(front, theme), colour(ground, theme))).toBeGreaterThanOrEqual(wanted);
  });
});

describe('contrast', () => {
  it('is 21 between black and white', () => {
    expect(contrast(parseOklch('oklch(0 0 0)'), parseOklch('oklch(1 0 0)'))).toBeCloseTo(21, 1);
  });
  it('refuses what is no opaque oklch colour', () => {
    expect(() => parseOklch('#fff')).toThrow('not an opaque oklch colour');
  });
});
