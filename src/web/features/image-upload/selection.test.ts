import { describe, expect, it } from 'vitest';
import { DEFAULT_LIMITS } from '#contract/limits.ts';
import { sized } from '#web/submission/testing/files.ts';
import { selectImages } from './selection.ts';

const MB = 1024 * 1024;
const file = (name: string, size = MB) => sized(new File(['x'], name, { lastModified: 1 }), size);
const many = (count: number) => Array.from({ length: count }, (_, index) => file(`${index}.jpg`));
const rules = { maxFiles: 10, limits: { ...DEFAULT_LIMITS } };
const namesOf = (files: readonly File[]) => files.map(({ name }) => name);

describe('§5 which images are taken', () => {
  it.each(['a.jpg', 'a.JPEG', 'a.Png', 'a.webp'])('takes %s', (name) => {
    const { accepted, problem } = selectImages([], [file(name)], rules);
    expect([namesOf(accepted), problem]).toEqual([[name], undefined]);
  });

  it.each([
    ['a.gif', false],
    ['film.mp4', false],
    ['jpg', false],
    ['IMG_1.HEIC', true],
    ['IMG_1.heif', true],
  ])('drops %s and keeps the rest (HEIC hint: %s)', (name, heic) => {
    const { accepted, problem } = selectImages([], [file(name), file('a.jpg')], rules);
    expect([namesOf(accepted), problem]).toEqual([['a.jpg'], { type: 'wrong-type', heic }]);
  });

  it('takes ten', () => {
    expect(selectImages(many(9), [file('x.jpg')], rules).accepted).toHaveLength(1);
  });

  it('adds none of the new ones where they would exceed ten', () => {
    const two = [file('x.jpg'), file('y.jpg')];
    expect(selectImages(many(9), two, rules)).toEqual({ accepted: [], problem: { type: 'too-many' } });
  });

  it('the same file twice is taken once', () => {
    const again = { type: 'duplicate', name: 'a.jpg' };
    expect(selectImages([file('a.jpg')], [file('a.jpg')], rules)).toEqual({ accepted: [], problem: again });
    const both = selectImages([], [file('a.jpg'), file('a.jpg')], rules);
    expect([both.accepted.length, both.problem]).toEqual([1, again]);
  });

  it('§2.8 generic: a new image takes the place of the old one, two at once are too many', () => {
    const one = { ...rules, maxFiles: 1 };
    expect(namesOf(selectImages([file('a.jpg')], [file('b.jpg')], one).accepted)).toEqual(['b.jpg']);
    expect(selectImages([file('a.jpg')], many(2), one)).toEqual({ accepted: [], problem: { type: 'too-many' } });
    expect(selectImages([file('a.jpg')], [file('b.gif')], one).accepted).toEqual([]);
  });

  it.each([
    [50 * MB, undefined],
    [50 * MB + 1, { type: 'too-large', name: 'a.jpg', size: 50 * MB + 1, kind: 'image' }],
    [0, { type: 'empty', name: 'a.jpg', size: 0, kind: 'image' }],
  ])('D19 %i bytes: %j', (size, problem) => {
    expect(selectImages([], [file('a.jpg', size)], rules).problem).toEqual(problem);
  });
});
