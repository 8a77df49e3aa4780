import { limitMarks } from './transcript.ts';

/**
 * The channels that posts are made for, and how each counts. Where a page stands beside a figure it was looked up there
 * on 2026-11-22; channels change them without notice, and every fold is an estimate for a desktop.
 */
export const CHANNEL_IDS = ['linkedin', 'instagram', 'facebook', 'x', 'website', 'newsletter'] as const;
export type ChannelId = (typeof CHANNEL_IDS)[number];

/** Width to height, the narrowest and the widest that the channel shows uncut. */
type Ratios = Readonly<{ from: number; to: number }>;

export type Channel = Readonly<{
  id: ChannelId;
  /** As the channel calls itself, in German. */
  name: string;
  /** In the channel's own count; see `countCharacters`. */
  characters: number;
  /** How much of the text is shown before 'mehr'; null: all of it. */
  fold: number | null;
  /** null: no limit is known. */
  hashtags: number | null;
  pictures: Readonly<{
    least: number;
    most: number;
    types: readonly string[];
    bytes: number;
    ratios: Ratios | null;
    /** Recommended, in pixels. */
    width: number;
    height: number;
  }>;
}>;

const MEGABYTE = 1_000_000;
const PHOTOS = ['image/jpeg', 'image/png', 'image/gif'] as const;
const WITH_WEBP = [...PHOTOS, 'image/webp'] as const;

export const CHANNELS: Readonly<Record<ChannelId, Channel>> = {
  linkedin: {
    id: 'linkedin',
    name: 'LinkedIn',
    // https://linkedinpreview.com/blog/linkedin-post-length, https://www.ayrshare.com/docs/media-guidelines/linkedin
    characters: 3_000,
    // About 210: https://web-3-apps.com/char-counter/articles/linkedin-post-length/ (others say 140, on a phone).
    fold: 210,
    hashtags: null,
    // https://docs.getlate.dev/resources/media-guidelines/linkedin
    // 5 MB: https://www.ayrshare.com/docs/media-guidelines/linkedin
    pictures: { least: 0, most: 20, types: PHOTOS, bytes: 5 * MEGABYTE, ratios: null, width: 1200, height: 627 },
  },
  instagram: {
    id: 'instagram',
    name: 'Instagram',
    // https://repliz-docs.pages.dev/tutorial/spesification/instagram.html
    characters: 2_200,
    // https://qainsta.com/terms/view/length
    fold: 125,
    // Five since December 2025, 30 before:
    // https://www.socialmediatoday.com/news/instagrams-implementing-new-limits-on-hashtag-use/808309/
    hashtags: 5,
    // https://docs.contentstudio.io/article/830-what-are-the-requirements-to-directly-publish-images-and-videos-to-instagram
    pictures: {
      least: 1,
      most: 10,
      types: ['image/jpeg'],
      bytes: 8 * MEGABYTE,
      ratios: { from: 4 / 5, to: 1.91 },
      width: 1080,
      height: 1080,
    },
  },
  facebook: {
    id: 'facebook',
    name: 'Facebook',
    // Both: https://typecount.com/blog/facebook-post-character-limit (125 on a phone).
    characters: 63_206,
    fold: 477,
    hashtags: null,
    // 200: https://docs.emplifi.io/platform/latest/home/facebook-publishing; a post here keeps 50.
    pictures: { least: 0, most: 50, types: PHOTOS, bytes: 10 * MEGABYTE, ratios: null, width: 1200, height: 630 },
  },
  x: {
    id: 'x',
    name: 'X',
    // https://docs.x.com/fundamentals/counting-characters
    characters: 280,
    fold: null,
    hashtags: null,
    // https://www.ayrshare.com/docs/media-guidelines/x_twitter
    pictures: { least: 0, most: 4, types: WITH_WEBP, bytes: 5 * MEGABYTE, ratios: null, width: 1200, height: 675 },
  },
  // The team's own: no channel limits them, so these are ours.
  website: {
    id: 'website',
    name: 'Website',
    characters: 20_000,
    fold: null,
    hashtags: 0,
    pictures: { least: 0, most: 20, types: WITH_WEBP, bytes: 10 * MEGABYTE, ratios: null, width: 1600, height: 900 },
  },
  newsletter: {
    id: 'newsletter',
    name: 'Newsletter',
    characters: 5_000,
    fold: null,
    hashtags: 0,
    pictures: { least: 0, most: 5, types: PHOTOS, bytes: MEGABYTE, ratios: null, width: 1200, height: 675 },
  },
};

/** undefined for one that this version does not know. */
export function findChannel(id: string): Channel | undefined {
  return Object.values(CHANNELS).find((channel) => channel.id === id);
}

/** Where a post appears, by the channel's name. */
export function formatPlace(channel: string): string {
  if (channel === 'Website') return 'auf der Website';
  return channel === 'Newsletter' ? 'im Newsletter' : `auf ${channel}`;
}

const SEGMENTER = new Intl.Segmenter('de', { granularity: 'grapheme' });

/** What a person sees as one character: 'é' in either form, a family of emoji. */
export const splitGraphemes = (text: string): string[] => [...SEGMENTER.segment(text)].map(({ segment }) => segment);

/** How long the text is for the channel. */
export function countCharacters(channel: ChannelId, text: string): number {
  return channel === 'x' ? weighPost(text) : splitGraphemes(text).length;
}

/** Neither white space nor a quotation mark; \u201e to \u201d are the German and English ones. */
const INSIDE = String.raw`[^\s<>"\u201e\u201c\u201d]*[^\s<>"\u201e\u201c\u201d.,;:!?)]`;
const LABEL = String.raw`[\p{L}\d](?:[\p{L}\d-]*[\p{L}\d])?`;
const TOP_LEVEL = 'com|org|net|de|eu|at|ch|io|info|app|dev|tv';
const BARE = String.raw`(?<![\p{L}\d@/.-])(?:${LABEL}\.)+(?:${TOP_LEVEL})(?![\p{L}\d-]|\.[\p{L}\d])(?:/${INSIDE})?`;
/** An address with its scheme, or a bare one under a common top-level domain. */
const LINK = new RegExp(String.raw`https?://${INSIDE}|${BARE}`, 'giu');
const LINK_WEIGHT = 23;
const EMOJI = /\p{Emoji_Presentation}|\p{Emoji}\uFE0F|\p{Regional_Indicator}/u;
/** Code points that weigh 1; all others weigh 2: version 3 of the configuration of twitter-text. */
const LIGHT = [
  [0x0000, 0x10ff],
  [0x2000, 0x200d],
  [0x2010, 0x201f],
  [0x2032, 0x2037],
] as const;

function weighPost(text: string): number {
  const normal = limitMarks(text).normalize('NFC');
  const links = [...normal.matchAll(LINK)];
  const rest = splitGraphemes(normal.replaceAll(LINK, ''));
  return links.length * LINK_WEIGHT + rest.reduce((sum, grapheme) => sum + weighGrapheme(grapheme), 0);
}

/** An emoji weighs 2, however many code points it takes. */
function weighGrapheme(grapheme: string): number {
  if (EMOJI.test(grapheme)) return 2;
  return Array.from(grapheme).reduce((sum, letter) => {
    const point = letter.codePointAt(0) ?? 0;
    return sum + (LIGHT.some(([from, to]) => from <= point && point <= to) ? 1 : 2);
  }, 0);
}

/** '#Maschinenbau', not '#1' nor the part of an address behind '#'. */
const HASHTAG = /(?<![\p{L}\p{N}_&/#])#(?=\p{N}*[\p{L}_])[\p{L}\p{M}\p{N}_]+/gu;

export function listHashtags(text: string): string[] {
  return text.match(HASHTAG) ?? [];
}

export type TextPart = Readonly<{ kind: 'text' | 'link' | 'hashtag'; text: string }>;

/** The text in pieces, in order, so that links and hashtags look as in the channel. */
export function splitMarks(text: string): TextPart[] {
  const links = [...text.matchAll(LINK)].map((found) => ({ kind: 'link' as const, text: found[0], at: found.index }));
  const tags = [...text.matchAll(HASHTAG)]
    .map((found) => ({ kind: 'hashtag' as const, text: found[0], at: found.index }))
    .filter(({ at }) => !links.some((link) => link.at <= at && at < link.at + link.text.length));
  const parts: TextPart[] = [];
  let end = 0;
  for (const { at, ...mark } of [...links, ...tags].toSorted((one, other) => one.at - other.at)) {
    if (at > end) parts.push({ kind: 'text', text: text.slice(end, at) });
    parts.push(mark);
    end = at + mark.text.length;
  }
  return end < text.length ? [...parts, { kind: 'text', text: text.slice(end) }] : parts;
}

/** What is shown at once and what follows after 'mehr'. */
export function splitAtFold(channel: ChannelId, text: string): Readonly<{ shown: string; hidden: string }> {
  const { fold } = CHANNELS[channel];
  const graphemes = splitGraphemes(text);
  if (fold === null || graphemes.length <= fold) return { shown: text, hidden: '' };
  return { shown: graphemes.slice(0, fold).join(''), hidden: graphemes.slice(fold).join('') };
}
