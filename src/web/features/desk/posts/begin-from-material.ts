import { CHANNELS, countCharacters, type ChannelId } from '#contract/channels.ts';
import { splitSentences, splitWords } from '#contract/evidence/words.ts';
import { parseTurns } from '#contract/transcript.ts';

type MaterialForPost = Readonly<{
  transcript: string | null;
  answers: Readonly<Record<string, string>> | null;
}>;

/** In this order an answer to the W-questions reads as a lead. */
const LEAD = ['what', 'who', 'when', 'where', 'why'];
/** A post that is longer is not read to its end, whatever the channel takes. */
const LONGEST = 1_200;
const FEWEST_WORDS = 5;
const MOST_WORDS = 45;

/** Whether anything was said or written; photos and films come without words. */
export function hasWords({ transcript, answers }: MaterialForPost): boolean {
  return [transcript ?? '', ...Object.values(answers ?? {})].some((text) => text.trim() !== '');
}

/**
 * A draft without a model: the answers to the W-questions as a lead, then the strongest sentences of the contributor in
 * their order, as many as fit. Each is in the contributor's own words.
 */
export function beginFromMaterial({ transcript, answers }: MaterialForPost, channel: ChannelId): string {
  const most = Math.min(LONGEST, CHANNELS[channel].characters);
  const fits = (parts: readonly string[]): boolean => countCharacters(channel, join(parts)) <= most;
  const join = (parts: readonly string[]): string => parts.filter((part) => part !== '').join('\n\n');
  const lead = LEAD.map((question) => endSentence(answers?.[question] ?? ''))
    .filter((answer) => answer !== '')
    .join(' ');
  const kept = fits([lead]) ? lead : '';
  const sentences = listSentences(transcript ?? '');
  const chosen = new Set<number>();
  const write = (places: ReadonlySet<number>): string =>
    [...places]
      .toSorted((a, b) => a - b)
      .map((place) => sentences[place])
      .join(' ');
  const ranked = [...sentences.keys()].toSorted((a, b) => rate(sentences[b]) - rate(sentences[a]) || a - b);
  for (const place of ranked) {
    if (rate(sentences[place]) > 0 && fits([kept, write(new Set([...chosen, place]))])) chosen.add(place);
  }
  return join([kept, write(chosen)]);
}

function listSentences(transcript: string): string[] {
  const said = parseTurns(transcript).filter(({ speaker }) => speaker === 'user');
  const all = said.flatMap(({ text }) =>
    splitSentences(text).map(({ start, end }) => endSentence(text.slice(start, end))),
  );
  return [...new Set(all)];
}

/** More words and a number make a sentence stronger; a question, a fragment and an endless one are not used. */
function rate(sentence = ''): number {
  const words = splitWords(sentence).length;
  if (words < FEWEST_WORDS || words > MOST_WORDS || sentence.endsWith('?')) return 0;
  return words + (/\d/.test(sentence) ? 10 : 0);
}

function endSentence(text: string): string {
  const plain = text.replaceAll(/\s+/g, ' ').trim();
  return plain === '' || /[.!?…]["“”«»)]*$/.test(plain) ? plain : `${plain}.`;
}
