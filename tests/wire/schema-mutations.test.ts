import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDatabase, type TestDatabase } from '#tests/support/database.ts';
import { enumerateMutations } from '#tests/mutations/enumerate.ts';
import { MUTATION_KINDS, type Mutation } from '#tests/mutations/mutation.ts';
import { tryMutation } from '#tests/mutations/notice.ts';
import { spreadSample } from '#tests/mutations/sample.ts';
import { RULES } from '#tests/rules/index.ts';
import { openScene, prepareRules, type OpenScene } from '#tests/rules/rules.ts';

const OF_EACH_KIND = 3;

let database: TestDatabase;
let scene: OpenScene;
let sample: readonly Mutation[];
beforeAll(async () => {
  database = await createDatabase('migrated');
  scene = await openScene(database.url, await prepareRules(database.url));
  sample = spreadSample(await enumerateMutations(scene.client), OF_EACH_KIND);
});
afterAll(async () => {
  await scene.close();
  await database.drop();
});

test.each(MUTATION_KINDS)('A rule notices mutations of the kind: %s (docs/reliability.md)', async (kind) => {
  const chosen = sample.filter((mutation) => mutation.kind === kind);
  expect(chosen).toHaveLength(OF_EACH_KIND);
  const unnoticed: string[] = [];
  for (const mutation of chosen) {
    const { kind: outcome } = await tryMutation(scene, RULES, mutation);
    if (outcome !== 'noticed') unnoticed.push(`${outcome}: ${mutation.name}`);
  }
  expect(unnoticed).toEqual([]);
});
