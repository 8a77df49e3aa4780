import { getEdges, type SourceIndex, type SourceSentence } from './sources.ts';
import { listKeys, type Word } from './words.ts';

/** How well each sentence of the sources has a word of a post, in percent, and which have it at all. */
type Hits = Readonly<{ percent: Uint8Array; places: readonly number[] }>;

/** What the sources have of some words. `coverage`: which part of them, weighed by how rare each is there. */
export type Match = Readonly<{ coverage: number; sentences: readonly number[] }>;

const SAME = 100;
const MEANING = 90;
const COMPOUND = 80;
const BEGINNING = 70;
const LEAST_SHARED = 5;
/** A sentence far from the best one counts less: in much material some word is always said somewhere. */
const ELSEWHERE = 0.4;
const NEIGHBOURS = 2;
const MOST_SENTENCES = 3;
const MOST_CANDIDATES = 60;

export function createMatcher(index: SourceIndex) {
  const hitsByStem = new Map<string, Hits>();
  const scores = new Float64Array(index.sentences.length);
  const find = ({ stem }: Pick<Word, 'stem'>): Hits => {
    const known = hitsByStem.get(stem);
    if (known !== undefined) return known;
    const hits = findHits(index, stem);
    hitsByStem.set(stem, hits);
    return hits;
  };
  return {
    has: (word: Pick<Word, 'stem'>, place: number): boolean => (find(word).percent[place] ?? 0) > 0,
    isSaid: (word: Pick<Word, 'stem'>): boolean => find(word).places.length > 0,
    /** The sentences on which the words rest best, the best one first. */
    match: (words: readonly Word[]): Match => matchWords(index, words.map(find), scores),
  };
}
export type Matcher = ReturnType<typeof createMatcher>;

function findHits(index: SourceIndex, stem: string): Hits {
  const percent = new Uint8Array(index.sentences.length);
  const places: number[] = [];
  const add = (key: string, weight: number): void => {
    for (const place of index.byKey.get(key) ?? []) {
      const before = percent[place] ?? 0;
      if (before === 0) places.push(place);
      if (weight > before) percent[place] = weight;
    }
  };
  for (const key of listKeys(stem)) add(key, key === stem ? SAME : MEANING);
  for (const edge of getEdges(stem)) {
    for (const key of index.byEdge.get(edge) ?? []) {
      const weight = resemblance(stem, key);
      if (weight > 0) add(key, weight);
    }
  }
  return { percent, places };
}

/** 'Lager' in 'Wälzlager', 'Pumpe' in 'Pumpenraum', 'Automatisierung' and 'automatisch'. */
function resemblance(one: string, other: string): number {
  const [short, long] = one.length < other.length ? [one, other] : [other, one];
  if (long.startsWith(short) || long.endsWith(short)) return COMPOUND;
  let shared = 0;
  while (shared < short.length && short[shared] === long[shared]) shared += 1;
  return shared >= LEAST_SHARED && shared >= 0.65 * short.length ? BEGINNING : 0;
}

/** `scores` has a 0 for each sentence, before and after. */
function matchWords(index: SourceIndex, hits: readonly Hits[], scores: Float64Array): Match {
  const weights = hits.map(({ places }) => Math.log(1 + (scores.length + 1) / Math.max(places.length, 1)));
  const whole = weights.reduce((sum, weight) => sum + weight, 0);
  if (whole === 0) return { coverage: 0, sentences: [] };
  const covered = hits.map(() => 0);
  const chosen: number[] = [];
  const candidates = listCandidates(hits, weights, scores);
  while (chosen.length < MOST_SENTENCES) {
    let best = { place: -1, gain: 0, factor: 1 };
    for (const place of candidates) {
      if (chosen.includes(place)) continue;
      const factor = chosen[0] === undefined || isNear(index, chosen[0], place) ? 1 : ELSEWHERE;
      const gain = sumGain({ hits, weights, covered, place, factor });
      if (gain > best.gain) best = { place, gain, factor };
    }
    if (best.place < 0 || (chosen.length > 0 && best.gain < 0.08 * whole)) break;
    for (const [at, { percent }] of hits.entries())
      covered[at] = Math.max(covered[at] ?? 0, ((percent[best.place] ?? 0) / SAME) * best.factor);
    chosen.push(best.place);
  }
  const sum = covered.reduce((found, part, at) => found + part * (weights[at] ?? 0), 0);
  return { coverage: sum / whole, sentences: chosen };
}

type Gain = Readonly<{
  hits: readonly Hits[];
  weights: readonly number[];
  covered: readonly number[];
  place: number;
  factor: number;
}>;

/** What a sentence has of the words that is not covered yet. */
function sumGain({ hits, weights, covered, place, factor }: Gain): number {
  let gain = 0;
  for (let at = 0; at < hits.length; at += 1) {
    const more = ((hits[at]?.percent[place] ?? 0) / SAME) * factor - (covered[at] ?? 0);
    if (more > 0) gain += more * (weights[at] ?? 0);
  }
  return gain;
}

/** The sentences that have most of the words. */
function listCandidates(hits: readonly Hits[], weights: readonly number[], scores: Float64Array): number[] {
  const touched: number[] = [];
  for (const [at, { percent, places }] of hits.entries()) {
    const weight = (weights[at] ?? 0) / SAME;
    for (const place of places) {
      const score = scores[place] ?? 0;
      if (score === 0) touched.push(place);
      scores[place] = score + (percent[place] ?? 0) * weight;
    }
  }
  const least = touched.length > MOST_CANDIDATES ? findLeast(scores, touched) : 0;
  const best = touched.filter((place) => (scores[place] ?? 0) >= least).slice(0, 2 * MOST_CANDIDATES);
  for (const place of touched) scores[place] = 0;
  return best;
}

/** The least of the highest scores, as many as there are candidates: faster than sorting all. */
function findLeast(scores: Float64Array, places: readonly number[]): number {
  const highest = new Float64Array(MOST_CANDIDATES);
  for (const place of places) {
    const score = scores[place] ?? 0;
    if (score <= (highest[0] ?? 0)) continue;
    let at = 1;
    for (; at < MOST_CANDIDATES && (highest[at] ?? 0) < score; at += 1) highest[at - 1] = highest[at] ?? 0;
    highest[at - 1] = score;
  }
  return highest[0] ?? 0;
}

/** Beside each other, or in an answer so short that it stands for the whole. */
export function isNear({ sentences }: SourceIndex, one: number, other: number): boolean {
  const [a, b] = [sentences[one], sentences[other]];
  if (a === undefined || b === undefined) return false;
  return (a.of === b.of && Math.abs(one - other) <= NEIGHBOURS) || isShort(b);
}

/** A source of one or two sentences: an answer to a W-question, a file name, an alternative text. */
export const isShort = ({ length }: Pick<SourceSentence, 'length'>): boolean => length <= NEIGHBOURS;
