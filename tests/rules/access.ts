import { strict as assert } from 'node:assert';
import { probe } from '#tests/support/callers.ts';
import { MATRIX_CASES, planCase, summarize } from '#tests/support/matrix-cases.ts';
import type { Rule } from './rules.ts';

const TABLE: Readonly<Record<string, string>> = { buckets: 'storage.buckets', objects: 'storage.objects' };

/** Without `returning` the policies for reading say nothing: what is added is refused all the same. */
const BLIND_INSERTS: readonly Rule[] = MATRIX_CASES.filter(({ verb }) => verb === 'insert').map((one) => ({
  name: `${one.resource}: insert by ${one.who} that asks for nothing back, ${one.target}: ${one.expected}`,
  about: [TABLE[one.resource] ?? `public.${one.resource}`],
  watches: 'access',
  check: async ({ fixture, database }) => {
    const { context, sql, params } = planCase(fixture, one);
    assert.equal(summarize(await probe(database, context, sql.replace(/ returning \*$/, ''), params)), one.expected);
  },
}));

/** Each cell of the security concept's matrix. */
const CELLS: readonly Rule[] = MATRIX_CASES.map((one) => ({
  name: `${one.resource}: ${one.verb} by ${one.who}, ${one.target}: ${one.expected}`,
  about: [TABLE[one.resource] ?? `public.${one.resource}`],
  watches: 'access',
  check: async ({ fixture, database }) => {
    const { context, sql, params } = planCase(fixture, one);
    assert.equal(summarize(await probe(database, context, sql, params)), one.expected);
  },
}));

export { CELLS as MATRIX_RULES, BLIND_INSERTS };
