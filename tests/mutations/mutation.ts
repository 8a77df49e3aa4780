/** A change of the schema that takes one of its rules away. */
export type Mutation = Readonly<{
  kind: MutationKind;
  /** Unique, and the same in each run over the same schema. */
  name: string;
  sql: string;
  /** The objects it touches, in the words of `Rule.about`. */
  about: readonly string[];
}>;

export const MUTATION_KINDS = [
  'privilege granted',
  'privilege revoked',
  'policy dropped',
  'policy weakened',
  'row security disabled',
  'constraint dropped',
  'constraint weakened',
  'trigger dropped',
  'definer removed',
  'search_path removed',
  'guard removed',
] as const;
export type MutationKind = (typeof MUTATION_KINDS)[number];
