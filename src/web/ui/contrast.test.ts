import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

/** WCAG 2.2 contrast of two oklch colours (CSS Color 4: oklch → linear sRGB, clipped to the gamut). */
type Oklch = Readonly<{ lightness: number; chroma: number; hue: number }>;

function parseOklch(text: string): Oklch {
  const match = /^oklch\(\s*([\d.]+)\s+([\d.]+)\s+([\d.]+)\s*\)$/.exec(text.trim());
  if (match === null) throw new Error(`not an opaque oklch colour: ${text}`);
  return { lightness: Number(match[1]), chroma: Number(match[2]), hue: Number(match[3]) };
}

/** 1 (no difference) to 21 (black on white). */
function contrast(first: Oklch, second: Oklch): number {
  const [dark = 0, light = 0] = [luminance(first), luminance(second)].toSorted((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

function luminance(colour: Oklch): number {
  const [red, green, blue] = linearRgb(colour);
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function linearRgb({ lightness, chroma, hue }: Oklch): readonly [number, number, number] {
  const angle = (hue * Math.PI) / 180;
  const a = chroma * Math.cos(angle);
  const b = chroma * Math.sin(angle);
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    clip(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
    clip(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
    clip(-0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s),
  ];
}

function clip(value: number): number {
  return Math.min(1, Math.max(0, value));
}

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
