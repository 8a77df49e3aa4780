import { describe, expect, it } from 'vitest';
import { DEFAULT_LIMITS } from '#contract/limits.ts';
import { sized } from '#web/submission/testing/files.ts';
import { parseContributorLink } from './contributor-link.ts';
import { selectFiles } from './selection.ts';

const MB = 1024 * 1024;
const file = (name: string, lastModified = 0) => new File(['x'], name, { lastModified });
const many = (count: number) => Array.from({ length: count }, (_, index) => file(`${index}.jpg`));
const select = (selected: readonly File[], ...added: File[]) => selectFiles(selected, added, DEFAULT_LIMITS);

describe('§5 contributor media upload', () => {
  it.each(['a.jpg', 'a.JPEG', 'a.Png', 'a.webp', 'a.MP4', 'a.mov', 'a.webm', '😀 ü/..\\.jpg'])('takes %s', (name) => {
    expect(select([], file(name))).toMatchObject({ accepted: [{ name }], problems: [] });
  });

  it.each([
    ['a.gif', false],
    ['a.svg', false],
    ['a.html', false],
    ['jpg', false],
    ['a.jpg.exe', false],
    ['a.HEIC', true],
  ])('drops %s and keeps the others', (name, heic) => {
    const { accepted, problems } = select([], file(name), file('b.jpg'));
    expect(accepted.map((kept) => kept.name)).toEqual(['b.jpg']);
    expect(problems).toEqual([{ type: 'wrong-type', name, heic }]);
  });

  it('ten, not eleven: none of the new ones is added', () => {
    expect(select(many(9), file('x.jpg')).accepted).toHaveLength(1);
    expect(select(many(9), file('x.jpg'), file('y.jpg'))).toEqual({ accepted: [], problems: [{ type: 'too-many' }] });
    expect(select([], ...many(11))).toEqual({ accepted: [], problems: [{ type: 'too-many' }] });
  });

  it('what is dropped anyway does not count', () => {
    expect(select(many(9), file('x.jpg'), file('y.gif')).accepted).toHaveLength(1);
  });

  it('the same file twice, also within one selection', () => {
    expect(select([file('a.jpg')], file('a.jpg')).problems).toEqual([{ type: 'duplicate', name: 'a.jpg' }]);
    expect(select([], file('a.jpg'), file('a.jpg'), file('a.jpg', 9)).accepted).toHaveLength(2);
  });

  it.each([
    ['a.jpg', 50 * MB, undefined],
    ['a.jpg', 50 * MB + 1, 'too-large'],
    ['a.mp4', 2048 * MB, undefined],
    ['a.mp4', 2048 * MB + 1, 'too-large'],
    ['a.mp4', 0, 'empty'],
  ])('D19 %s of %i bytes: %s', (name, bytes, type) => {
    expect(select([], sized(file(name), bytes)).problems[0]?.type).toBe(type);
  });
});

describe('D9 #i=<id>&k=<key>', () => {
  const key = 'k'.repeat(43);
  it('takes id and key', () => {
    expect(parseContributorLink(`#i=7&k=${key}`)).toEqual({ interviewId: '7', key });
  });

  it.each(['', '#', '#i=7', `#k=${key}`, `#i=local_1&k=${key}`, '#i=7&k=short', `#i=0&k=${key}`, `#i=7&k=${key}%20x`])(
    'anything else is no link: %s',
    (fragment) => expect(parseContributorLink(fragment)).toBeUndefined(),
  );
});
