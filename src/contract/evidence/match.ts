import { getEdges, type SourceIndex, type SourceSentence } from './sources.ts';
import { listKeys, type Word } from './words.ts';

/** How well a word of a post is found in a sentence of the sources, from 0 to 1. */
type Hits = ReadonlyMap<number, number>;

/** What the sources have of some words. `coverage`: which part of them, weighed by how rare each is there. */
export type Match = Readonly<{ coverage: number; sentences: readonly number[] }>;

const MEANING = 0.9;
const COMPOUND = 0.8;
const BEGINNING = 0.7;
const LEAST_SHARED = 5;
/** A sentence far from the best one counts less: in much material some word is always said somewhere. */
const ELSEWHERE = 0.4;
const NEIGHBOURS = 2;
const MOST_SENTENCES = 3;
const MOST_CANDIDATES = 60;

export function createMatcher(index: SourceIndex) {
  const hitsByStem = new Map<string, Hits>();
  const find = ({ stem }: Pick<Word, 'stem'>): Hits => {
    const known = hitsByStem.get(stem);
    if (known !== undefined) return known;
    const hits = findHits(index, stem);
    hitsByStem.set(stem, hits);
    return hits;
  };
  return {
    find,
    /** The sentences on which the words rest best, the best one first. */
    match: (words: readonly Word[]): Match => matchWords(index, words.map(find)),
  };
}
export type Matcher = ReturnType<typeof createMatcher>;

function findHits(index: SourceIndex, stem: string): Hits {
  const hits = new Map<number, number>();
  const add = (key: string, weight: number): void => {
    for (const place of index.byKey.get(key) ?? []) hits.set(place, Math.max(hits.get(place) ?? 0, weight));
  };
  for (const key of listKeys(stem)) add(key, key === stem ? 1 : MEANING);
  for (const edge of getEdges(stem)) {
    for (const key of index.byEdge.get(edge) ?? []) {
      const weight = resemblance(stem, key);
      if (weight > 0) add(key, weight);
    }
  }
  return hits;
}

/** 'Lager' in 'Wälzlager', 'Pumpe' in 'Pumpenraum', 'Automatisierung' and 'automatisch'. */
function resemblance(one: string, other: string): number {
  const [short, long] = one.length < other.length ? [one, other] : [other, one];
  if (long.startsWith(short) || long.endsWith(short)) return COMPOUND;
  let shared = 0;
  while (shared < short.length && short[shared] === long[shared]) shared += 1;
  return shared >= LEAST_SHARED && shared >= 0.65 * short.length ? BEGINNING : 0;
}

function matchWords(index: SourceIndex, hits: readonly Hits[]): Match {
  const total = index.sentences.length;
  const weights = hits.map((places) => Math.log(1 + (total + 1) / Math.max(places.size, 1)));
  const whole = weights.reduce((sum, weight) => sum + weight, 0);
  if (whole === 0) return { coverage: 0, sentences: [] };
  const covered = hits.map(() => 0);
  const chosen: number[] = [];
  const candidates = listCandidates(total, hits, weights);
  while (chosen.length < MOST_SENTENCES) {
    let best = { place: -1, gain: 0 };
    for (const place of candidates) {
      if (chosen.includes(place)) continue;
      const factor = isNear(index, chosen[0] ?? place, place) ? 1 : ELSEWHERE;
      const gain = hits.reduce((sum, places, at) => {
        const more = (places.get(place) ?? 0) * factor - (covered[at] ?? 0);
        return more > 0 ? sum + more * (weights[at] ?? 0) : sum;
      }, 0);
      if (gain > best.gain) best = { place, gain };
    }
    if (best.place < 0 || (chosen.length > 0 && best.gain < 0.08 * whole)) break;
    const factor = isNear(index, chosen[0] ?? best.place, best.place) ? 1 : ELSEWHERE;
    for (const [at, places] of hits.entries())
      covered[at] = Math.max(covered[at] ?? 0, (places.get(best.place) ?? 0) * factor);
    chosen.push(best.place);
  }
  const sum = covered.reduce((found, part, at) => found + part * (weights[at] ?? 0), 0);
  return { coverage: sum / whole, sentences: chosen };
}

/** The sentences that have most of the words. */
function listCandidates(total: number, hits: readonly Hits[], weights: readonly number[]): number[] {
  const scores = new Float64Array(total);
  const touched: number[] = [];
  for (const [at, places] of hits.entries()) {
    const weight = weights[at] ?? 0;
    for (const [place, hit] of places) {
      const score = scores[place] ?? 0;
      if (score === 0) touched.push(place);
      scores[place] = score + hit * weight;
    }
  }
  if (touched.length <= MOST_CANDIDATES) return touched;
  const least =
    Float64Array.from(touched, (place) => scores[place] ?? 0).toSorted()[touched.length - MOST_CANDIDATES] ?? 0;
  return touched.filter((place) => (scores[place] ?? 0) >= least).slice(0, 2 * MOST_CANDIDATES);
}

/** Beside each other, or in an answer so short that it stands for the whole. */
export function isNear({ sentences }: SourceIndex, one: number, other: number): boolean {
  const [a, b] = [sentences[one], sentences[other]];
  if (a === undefined || b === undefined) return false;
  return (a.of === b.of && Math.abs(one - other) <= NEIGHBOURS) || isShort(b);
}

/** A source of one or two sentences: an answer to a W-question, a file name, an alternative text. */
export const isShort = ({ length }: Pick<SourceSentence, 'length'>): boolean => length <= NEIGHBOURS;
