import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDatabase, type TestDatabase } from '#tests/support/database.ts';
import { OWN_RULES } from '#tests/rules/index.ts';
import { checkRule, openScene, prepareRules, type OpenScene } from '#tests/rules/rules.ts';

let database: TestDatabase;
let scene: OpenScene;
beforeAll(async () => {
  database = await createDatabase('migrated');
  scene = await openScene(database.url, await prepareRules(database.url));
});
afterAll(async () => {
  await scene.close();
  await database.drop();
});

test('Every rule has a name of its own', () => {
  expect(new Set(OWN_RULES.map(({ name }) => name)).size).toBe(OWN_RULES.length);
});

test.each(OWN_RULES)('Database rule: $name', (rule) => checkRule(scene, rule));
