import { describe, expect, it } from 'vitest';
import { DEFAULT_LIMITS } from '#contract/limits.ts';
import { selectFiles, type SelectionRules } from './file-kind.ts';
import { sized } from '#tests/support/web/fixtures.ts';

const MB = 1024 * 1024;
const MEDIA = { maxFiles: 10, kinds: 'images-and-videos', limits: { ...DEFAULT_LIMITS } } as const;
const IMAGES = { ...MEDIA, kinds: 'images' } as const;
const ONE_IMAGE = { ...IMAGES, maxFiles: 1 } as const;

const file = (name: string, size = 1, lastModified = 0) => sized(new File(['x'], name, { lastModified }), size);
const many = (count: number) => Array.from({ length: count }, (_, index) => file(`${index}.jpg`));
const listNames = (files: readonly File[]) => files.map(({ name }) => name);
const select = (rules: SelectionRules, selected: readonly File[], ...added: File[]) => {
  const { accepted, problems } = selectFiles(selected, added, rules);
  return { accepted: listNames(accepted), problems };
};

describe('Selects files by their extension (§5)', () => {
  it.each([
    ...['a.jpg', 'a.JPEG', 'a.Png', 'a.webp', '😀 ü/..\\.jpg'].flatMap((name) => [
      [name, MEDIA] as const,
      [name, IMAGES] as const,
    ]),
    ...['a.MP4', 'a.mov', 'a.webm'].map((name) => [name, MEDIA] as const),
  ])('Takes %s', (name, rules) => {
    expect(select(rules, [], file(name))).toEqual({ accepted: [name], problems: [] });
  });

  it.each([
    ['a.gif', false],
    ['a.svg', false],
    ['a.html', false],
    ['jpg', false],
    ['a.jpg.exe', false],
    ['IMG_1.HEIC', true],
    ['IMG_1.heif', true],
  ])('Drops %s and keeps the others (HEIC: %s)', (name, heic) => {
    const expected = { accepted: ['b.jpg'], problems: [{ type: 'wrong-type', name, heic }] };
    expect(select(MEDIA, [], file(name), file('b.jpg'))).toEqual(expected);
    expect(select(IMAGES, [], file(name), file('b.jpg'))).toEqual(expected);
  });

  it('Drops a video where images alone are taken', () => {
    expect(select(IMAGES, [], file('film.mp4')).problems).toEqual([
      { type: 'wrong-type', name: 'film.mp4', heic: false },
    ]);
  });
});

describe('Limits how many files are selected (§5)', () => {
  const tooMany = { accepted: [], problems: [{ type: 'too-many' }] };

  it('Takes ten, and none of the new ones where they would be eleven', () => {
    expect(select(MEDIA, many(9), file('x.jpg')).accepted).toHaveLength(1);
    expect(select(MEDIA, many(9), file('x.jpg'), file('y.jpg'))).toEqual(tooMany);
    expect(select(MEDIA, [], ...many(11))).toEqual(tooMany);
  });

  it('Does not count a file that is dropped', () => {
    expect(select(MEDIA, many(9), file('x.jpg'), file('y.gif')).accepted).toHaveLength(1);
  });

  it('Replaces the chosen image where only one is possible (§2.8)', () => {
    expect(select(ONE_IMAGE, [file('a.jpg')], file('b.jpg')).accepted).toEqual(['b.jpg']);
    expect(select(ONE_IMAGE, [file('a.jpg')], ...many(2))).toEqual(tooMany);
    expect(select(ONE_IMAGE, [file('a.jpg')], file('b.gif')).accepted).toEqual([]);
  });

  it('Takes the same file once, also within one selection', () => {
    const again = { type: 'duplicate', name: 'a.jpg' };
    expect(select(MEDIA, [file('a.jpg')], file('a.jpg'))).toEqual({ accepted: [], problems: [again] });
    expect(select(IMAGES, [], file('a.jpg'), file('a.jpg')).problems).toEqual([again]);
    expect(select(MEDIA, [], file('a.jpg'), file('a.jpg'), file('a.jpg', 1, 9)).accepted).toHaveLength(2);
  });

  it.each([
    ['a.jpg', 50 * MB, undefined],
    ['a.jpg', 50 * MB + 1, { type: 'too-large', kind: 'image', name: 'a.jpg', size: 50 * MB + 1 }],
    ['a.mp4', 2048 * MB, undefined],
    ['a.mp4', 2048 * MB + 1, { type: 'too-large', kind: 'video', name: 'a.mp4', size: 2048 * MB + 1 }],
    ['a.mp4', 0, { type: 'empty', kind: 'video', name: 'a.mp4', size: 0 }],
  ])('%s of %i bytes: %j (D19)', (name, bytes, problem) => {
    expect(select(MEDIA, [], file(name, bytes)).problems[0]).toEqual(problem);
  });
});
