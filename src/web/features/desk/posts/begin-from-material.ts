import { CHANNELS, countCharacters, type ChannelId } from '#contract/channels.ts';
import { splitSentences } from '#contract/evidence/words.ts';
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
  const count = (text: string): number => countCharacters(channel, text);
  const lead = LEAD.map((question) => endSentence(answers?.[question] ?? ''))
    .filter((answer) => answer !== '')
    .join(' ');
  const kept = count(lead) <= most ? lead : '';
  // A blank stands before each sentence but the first one, an empty line behind the answers.
  let left = most - (kept === '' ? -1 : count(kept) + 1);
  const ranked = listSentences(transcript ?? '')
    .map((text, place) => ({ text, place, strength: rate(text) }))
    .filter(({ strength }) => strength > 0)
    .toSorted((a, b) => b.strength - a.strength || a.place - b.place);
  const chosen = ranked.filter(({ text }) => {
    const size = left > FEWEST_WORDS ? count(text) + 1 : Infinity;
    const fits = size <= left;
    if (fits) left -= size;
    return fits;
  });
  const said = chosen.toSorted((a, b) => a.place - b.place).map(({ text }) => text);
  return [kept, said.join(' ')].filter((part) => part !== '').join('\n\n');
}

function listSentences(transcript: string): string[] {
  const said = parseTurns(transcript).filter(({ speaker }) => speaker === 'user');
  const all = said.flatMap(({ text }) =>
    splitSentences(text).map(({ start, end }) => endSentence(text.slice(start, end))),
  );
  return [...new Set(all)];
}

/** More words and a number make a sentence stronger; a question, a fragment and an endless one are not used. */
function rate(sentence: string): number {
  const words = sentence.match(/[\p{L}\p{M}\p{N}]+/gu)?.length ?? 0;
  if (words < FEWEST_WORDS || words > MOST_WORDS || sentence.endsWith('?')) return 0;
  return words + (/\d/.test(sentence) ? 10 : 0);
}

function endSentence(text: string): string {
  const plain = text.replaceAll(/\s+/g, ' ').trim();
  return plain === '' || /[.!?…]["“”«»)]*$/.test(plain) ? plain : `${plain}.`;
}
