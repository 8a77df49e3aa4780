import { findKnown } from './known.ts';
import { MUTATION_KINDS, type Mutation } from './mutation.ts';

/** So many of each kind, spread evenly over their names: the same ones in each run over the same schema. */
export function spreadSample(mutations: readonly Mutation[], ofEach: number): Mutation[] {
  return MUTATION_KINDS.flatMap((kind) => {
    const open = mutations.filter((mutation) => mutation.kind === kind && findKnown(mutation) === undefined);
    const sorted = open.toSorted((a, b) => (a.name < b.name ? -1 : 1));
    const places = Array.from({ length: ofEach }, (_, at) => Math.floor(((at + 0.5) * sorted.length) / ofEach));
    return [...new Set(places)].flatMap((place) => sorted[place] ?? []);
  });
}
