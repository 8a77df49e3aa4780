import { strict as assert } from 'node:assert';
import { anon, attempt, login } from '#tests/support/callers.ts';
import { getMember, mustWork, type Rule, type Scene } from './rules.ts';
import { TABLES, type TableRules } from './tables.ts';

type Row = TableRules['row'];

const UUID = '00000000-0000-4000-8000-000000000001';
const ERASURE = '00000000-0000-4000-8000-000000000002';
const EVENT = 900_000;

/** What a row may refer to. */
async function prepare(scene: Scene, { before = [] }: TableRules): Promise<(sql: string) => string> {
  const { fixture, owner } = scene;
  const interview = fixture.bare.get('bound') ?? 0;
  const names: Readonly<Record<string, string>> = {
    interview: String(interview),
    account: `'${getMember(scene, 'firma_a').id}'`,
    stranger: `'${fixture.nobody.id}'`,
    uuid: `'${UUID}'`,
    erasure: `'${ERASURE}'`,
    event: String(EVENT),
  };
  const fill = (sql: string): string => sql.replaceAll(/:(\w+)(?!\w)/g, (whole, name: string) => names[name] ?? whole);
  await mustWork(
    owner(`insert into private.erasures (id, what, contribution) values ('${ERASURE}', 'contribution', 900001)`),
  );
  await mustWork(
    owner(
      `insert into private.desk_events (id, interview_id, what) overriding system value
        values (${EVENT}, ${interview}, 'note')`,
    ),
  );
  for (const sql of before) await mustWork(owner(fill(sql)));
  return fill;
}

function insert(table: string, row: Row): string {
  const columns = Object.keys(row).map((column) => `"${column}"`);
  return `insert into ${table} (${columns.join(', ')}) overriding system value
    values (${Object.values(row).join(', ')})`;
}

/** `named`: what the message names. */
async function mustViolate(scene: Scene, sql: string, code: string, named: string): Promise<void> {
  const outcome = await scene.owner(sql);
  if (outcome.kind === 'done') throw new Error(`${named} did not refuse: ${sql}`);
  assert.equal(outcome.code, code, outcome.message);
  assert.ok(outcome.message.includes(named), outcome.message);
}

function constraintRules(table: string, rules: TableRules): Rule[] {
  const { row, required, refused = {}, unique } = rules;
  return [
    {
      name: `Rows of ${table}: a plain one is taken`,
      about: [table],
      check: async (scene) => {
        const fill = await prepare(scene, rules);
        assert.equal((await mustWork(scene.owner(fill(insert(table, row))))).count, 1);
      },
    },
    ...required.map((column): Rule => ({
      name: `Rows of ${table}: none without ${column}`,
      about: [`${table.split('.')[1]}_${column}_not_null`],
      check: async (scene) => {
        const fill = await prepare(scene, rules);
        // The table itself refuses, not one that a trigger writes.
        const named = `"${column}" of relation "${table.split('.')[1]}"`;
        await mustViolate(scene, fill(insert(table, { ...row, [column]: 'null' })), '23502', named);
      },
    })),
    ...Object.entries(refused).map(([constraint, changes]): Rule => ({
      name: `Rows of ${table}: ${constraint}`,
      about: [constraint],
      check: async (scene) => {
        const fill = await prepare(scene, rules);
        for (const change of changes)
          await mustViolate(scene, fill(insert(table, { ...row, ...change })), '23514', `"${constraint}"`);
      },
    })),
    ...Object.entries(unique).map(([constraint, change]): Rule => ({
      name: `Rows of ${table}: ${constraint} refuses a second one`,
      about: [constraint],
      check: async (scene) => {
        const fill = await prepare(scene, rules);
        await mustWork(scene.owner(fill(insert(table, row))));
        await mustViolate(scene, fill(insert(table, { ...row, ...change })), '23505', `"${constraint}"`);
      },
    })),
  ];
}

function referenceRules(table: string, rules: TableRules): Rule[] {
  return Object.entries(rules.references ?? {}).map(([constraint, { missing, remove, becomes }]) => ({
    name: `Rows of ${table}: ${constraint} refers to what is there, and ${becomes === 'gone' ? 'goes with it' : 'forgets it'}`,
    about: [constraint],
    check: async (scene) => {
      const fill = await prepare(scene, rules);
      await mustViolate(scene, fill(insert(table, { ...rules.row, ...missing })), '23503', `"${constraint}"`);
      await mustWork(scene.owner(fill(insert(table, rules.row))));
      const [column = ''] = Object.keys(missing);
      const refers = fill(`select from ${table} where ${column} = ${rules.row[column]}`);
      const all = `select from ${table}`;
      const before = (await mustWork(scene.owner(all))).count;
      const referring = (await mustWork(scene.owner(refers))).count;
      assert.ok(referring > 0);
      await mustWork(scene.owner(fill(remove)));
      assert.equal((await mustWork(scene.owner(refers))).count, 0);
      if (becomes === 'null') assert.equal((await mustWork(scene.owner(all))).count, before);
    },
  }));
}

/** Row-level security holds where a privilege would let callers in by mistake. */
function rowSecurityRule(table: string, rules: TableRules): Rule {
  return {
    name: `Rows of ${table}: a privilege alone shows none`,
    about: [table],
    check: async (scene) => {
      const fill = await prepare(scene, rules);
      await mustWork(scene.owner(fill(insert(table, rules.row))));
      await mustWork(scene.owner(`grant select on ${table} to anon, authenticated`));
      for (const caller of [anon(), login({ id: UUID, email: 'fremd@beispiel.test' })]) {
        const seen = await mustWork(attempt(scene.database, caller, `select from ${table}`));
        assert.equal(seen.count, 0);
      }
    },
  };
}

/** What each table refuses, from every writer; the completeness of the list is checked against the catalogue. */
export const ROW_RULES: readonly Rule[] = Object.entries(TABLES)
  .flatMap(([table, rules]) => [
    rowSecurityRule(table, rules),
    ...constraintRules(table, rules),
    ...referenceRules(table, rules),
  ])
  .map((rule) => ({ ...rule, watches: 'these' as const }));
