import { checkRule, type Rule, type Scene } from '#tests/rules/rules.ts';
import { DECLARED_PRIVILEGES, GRANTED_PRIVILEGES } from '#tests/rules/privileges.ts';
import type { Mutation } from './mutation.ts';

/** What came of a mutation. `by`: the rule that noticed it. */
export type Verdict =
  | Readonly<{ kind: 'noticed'; by: string }>
  | Readonly<{ kind: 'survived' }>
  // PostgreSQL refuses it, so nobody can make this mistake.
  | Readonly<{ kind: 'impossible'; because: string }>;

/** Applies the mutation, runs the rules until one fails, and takes it back. */
export async function tryMutation(scene: Scene, rules: readonly Rule[], mutation: Mutation): Promise<Verdict> {
  await scene.client.query('savepoint mutation');
  try {
    await scene.client.query(mutation.sql);
  } catch (error) {
    await scene.client.query('rollback to mutation; release mutation');
    return { kind: 'impossible', because: error instanceof Error ? error.message : String(error) };
  }
  try {
    return await firstToNotice(scene, rules, mutation);
  } finally {
    await scene.client.query('rollback to mutation; release mutation');
  }
}

async function firstToNotice(scene: Scene, rules: readonly Rule[], mutation: Mutation): Promise<Verdict> {
  if (mutation.kind.startsWith('privilege')) return comparePrivileges(scene);
  for (const rule of sortByRelevance(
    rules.filter((one) => canNotice(one, mutation)),
    mutation,
  )) {
    try {
      await checkRule(scene, rule);
    } catch {
      return { kind: 'noticed', by: rule.name };
    }
  }
  return { kind: 'survived' };
}

/** As tests/wire/schema-privileges.test.ts compares them. */
async function comparePrivileges(scene: Scene): Promise<Verdict> {
  const { rows } = await scene.client.query<{ line: string }>(GRANTED_PRIVILEGES);
  const there = rows
    .map(({ line }) => line)
    .toSorted()
    .join('\n');
  if (there === DECLARED_PRIVILEGES.toSorted().join('\n')) return { kind: 'survived' };
  return { kind: 'noticed', by: 'declared privileges' };
}

const DESK = /^(public|private)\.(desk|admin)_.*\(/;

function canNotice({ watches, about: watched }: Rule, { about }: Mutation): boolean {
  if (watches === 'these') return about.some((name) => watched.includes(name));
  return watches !== 'access' || !about.some((name) => DESK.test(name));
}

function sortByRelevance(rules: readonly Rule[], { about }: Mutation): Rule[] {
  const rank = (rule: Rule): number => about.findIndex((name) => rule.about.includes(name)) + 1 || about.length + 1;
  const ranks = new Map(rules.map((rule) => [rule, rank(rule)]));
  // A rule that watches exactly this object comes first: names go from the table to the part of it.
  return rules.toSorted((a, b) => (ranks.get(a) ?? 0) - (ranks.get(b) ?? 0));
}
