import { expect, test } from 'vitest';
import {
  CHANNEL_IDS,
  CHANNELS,
  countCharacters,
  findChannel,
  listHashtags,
  splitAtFold,
  splitGraphemes,
  splitMarks,
  type ChannelId,
} from './channels.ts';
import { POST_LIMITS } from './posts.ts';

test.each<[string, ChannelId, string, number]>([
  ['letters', 'x', 'Grüße', 5],
  ['a decomposed letter', 'x', 'u\u0308', 1],
  ['an address, however long', 'x', 'Mehr: https://example.org/ein/sehr/langer/pfad?und=noch#mehr', 6 + 23],
  ['an address before a full stop', 'x', 'https://example.org/a.', 24],
  ['a bare address', 'x', 'auf example.de/karriere steht es', 4 + 23 + 9],
  ['a sentence without a space is no address', 'x', 'Fertig.Danach', 13],
  ['an emoji', 'x', '👾', 2],
  ['a family of emoji', 'x', '👨‍👩‍👧‍👦', 2],
  ['a flag', 'x', '🇩🇪', 2],
  ['Chinese', 'x', '你好', 4],
  ['a digit is no emoji', 'x', '12 #1', 5],
  ['typographic marks', 'x', '„Ja“ – nein…', 12 + 1],
  ['a family of emoji', 'linkedin', '👨‍👩‍👧‍👦', 1],
  ['an address', 'linkedin', 'https://example.org', 19],
])('Characters of %s as %s counts them (posts, channels)', (_, channel, text, length) => {
  expect(countCharacters(channel, text)).toBe(length);
});

test('Hashtags begin with a letter somewhere and stand alone (posts, channels)', () => {
  const text = '#Maschinenbau, #3D_Druck und #Größe. Nr. #1, a#b, https://example.org/#teil &#39;';
  expect(listHashtags(text)).toEqual(['#Maschinenbau', '#3D_Druck', '#Größe']);
});

test('Links and hashtags are marked, and the pieces make up the text (posts, channels)', () => {
  const text = 'Mehr auf verband.de/messe und https://example.org/#teil. #Technik';
  const parts = splitMarks(text);
  expect(parts.map((part) => part.text).join('')).toBe(text);
  expect(parts.filter(({ kind }) => kind !== 'text')).toEqual([
    { kind: 'link', text: 'verband.de/messe' },
    { kind: 'link', text: 'https://example.org/#teil' },
    { kind: 'hashtag', text: '#Technik' },
  ]);
  expect(splitMarks('')).toEqual([]);
});

test('The fold hides what is longer, and cuts no character (posts, channels)', () => {
  expect(splitAtFold('linkedin', 'Kurz')).toEqual({ shown: 'Kurz', hidden: '' });
  const long = '👨‍👩‍👧‍👦'.repeat(300);
  const { shown, hidden } = splitAtFold('linkedin', long);
  expect([splitGraphemes(shown).length, shown + hidden === long]).toEqual([CHANNELS.linkedin.fold, true]);
  expect(splitAtFold('x', long).hidden).toBe('');
});

test('Every channel is found by its id and fits into the database (posts, channels)', () => {
  for (const id of CHANNEL_IDS) {
    const { characters, fold, pictures } = CHANNELS[id];
    expect(findChannel(id)).toBe(CHANNELS[id]);
    expect(id).toMatch(/^[a-z][a-z0-9-]{0,39}$/);
    if (id !== 'facebook') expect(characters).toBeLessThanOrEqual(POST_LIMITS.body);
    expect(fold ?? 0).toBeLessThan(characters);
    expect(pictures.least).toBeLessThanOrEqual(pictures.most);
    expect(pictures.most).toBeLessThanOrEqual(POST_LIMITS.pictures);
  }
  expect(findChannel('orkut')).toBeUndefined();
});
