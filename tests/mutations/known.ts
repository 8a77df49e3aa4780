import type { Mutation } from './mutation.ts';

/** A mutation that the rules do not notice, and why that is no gap. */
type Known = Readonly<{
  /** The beginning of its name, and what else stands in it. */
  object: string;
  change?: string;
  kind?: Mutation['kind'];
  /** Only tests against a started server notice it. */
  wire?: true;
  reason: string;
}>;

const KNOWN: readonly Known[] = [];

export function findKnown({ kind, name }: Pick<Mutation, 'kind' | 'name'>): Known | undefined {
  return KNOWN.find(
    (known) =>
      name.startsWith(known.object) &&
      name.includes(known.change ?? '') &&
      (known.kind === undefined || known.kind === kind),
  );
}
