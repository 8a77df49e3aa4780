import { describe, expect, it } from 'vitest';
import { addFiles } from './selection.ts';
import { megabytes } from './sizes.ts';

const MB = 1024 * 1024;
const file = (name: string, size = MB) => ({ name, size });
const many = (count: number) => Array.from({ length: count }, (_, index) => file(`${index}.jpg`));
const rules = { maxFiles: 10, maxBytes: 50 * MB };

describe('§5 which images are taken', () => {
  it.each(['a.jpg', 'a.JPEG', 'a.Png', 'a.webp'])('takes %s', (name) => {
    expect(addFiles([], [file(name)], rules)).toEqual({ files: [file(name)], problem: undefined });
  });

  it.each([
    ['a.gif', false],
    ['film.mp4', false],
    ['jpg', false],
    ['IMG_1.HEIC', true],
    ['IMG_1.heif', true],
  ])('drops %s and keeps the rest (HEIC hint: %s)', (name, heic) => {
    const { files, problem } = addFiles([], [file(name), file('a.jpg')], rules);
    expect(files).toEqual([file('a.jpg')]);
    expect(problem).toEqual({ type: 'wrong-type', heic });
  });

  it('takes ten', () => {
    expect(addFiles(many(9), [file('x.jpg')], rules).files).toHaveLength(10);
  });

  it('adds none of the new ones where they would exceed ten', () => {
    const before = many(9);
    expect(addFiles(before, many(2), rules)).toEqual({ files: before, problem: { type: 'too-many' } });
  });

  it('§2.8 generic: a new image takes the place of the old one, two at once are too many', () => {
    const one = { ...rules, maxFiles: 1 };
    expect(addFiles([file('a.jpg')], [file('b.jpg')], one).files).toEqual([file('b.jpg')]);
    expect(addFiles([file('a.jpg')], many(2), one)).toEqual({
      files: [file('a.jpg')],
      problem: { type: 'too-many' },
    });
    expect(addFiles([file('a.jpg')], [file('b.gif')], one).files).toEqual([file('a.jpg')]);
  });

  it.each([
    [50 * MB, undefined],
    [50 * MB + 1, { type: 'too-large', name: 'a.jpg', size: 50 * MB + 1 }],
    [0, { type: 'empty', name: 'a.jpg' }],
  ])('D19 %i bytes: %j', (size, problem) => {
    expect(addFiles([], [file('a.jpg', size)], rules).problem).toEqual(problem);
  });
});

describe('sizes in words', () => {
  it.each([
    [50 * MB, '50 MB'],
    [1.44 * MB, '1,4 MB'],
    [12 * 1024, '12 KB'],
    [1, '1 KB'],
  ])('%i bytes are %s', (bytes, words) => {
    expect(megabytes(bytes)).toBe(words);
  });
});
