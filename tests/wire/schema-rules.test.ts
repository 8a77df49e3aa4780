import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DeskContributionSchema } from '#contract/desk.ts';
import { asOwner } from '#tests/support/callers.ts';
import { createDatabase, type TestDatabase } from '#tests/support/database.ts';
import { CALLS } from '#tests/rules/functions.ts';
import { TABLES } from '#tests/rules/tables.ts';
import { OWN_RULES } from '#tests/rules/index.ts';
import { checkRule, openScene, prepareRules, type OpenScene } from '#tests/rules/rules.ts';

let database: TestDatabase;
let scene: OpenScene;
let prepared: string;
beforeAll(async () => {
  database = await createDatabase('migrated');
  const fixture = await prepareRules(database.url);
  prepared = await readCommitted();
  scene = await openScene(database.url, fixture);
});
afterAll(async () => {
  await scene.close();
  await database.drop();
});

/** Each row of each table, as other connections see it. */
function readCommitted(): Promise<string> {
  return asOwner(database.url, async (client) => {
    const { rows } = await client.query<{ xml: string }>(`
      select string_agg(query_to_xml(
        format('select to_jsonb(t) as row from %I.%I as t order by 1', schemaname, tablename),
        true, false, schemaname || tablename
      )::text, E'\\n' order by schemaname, tablename) as xml
      from pg_tables where schemaname not in ('pg_catalog', 'information_schema')`);
    return rows[0]?.xml ?? '';
  });
}

test('Every rule has a name of its own', () => {
  expect(new Set(OWN_RULES.map(({ name }) => name)).size).toBe(OWN_RULES.length);
});

const UNWATCHED = 'A table, constraint or function that no rule watches: add it to tests/rules';

test('Rules watch every table and every constraint (§3)', async () => {
  const constraints = await scene.owner(`
    select k.conname as name, k.contype as type, format('%s.%s', n.nspname, c.relname) as relation, a.attname as column
    from pg_constraint as k join pg_class as c on c.oid = k.conrelid join pg_namespace as n on n.oid = c.relnamespace
    join pg_attribute as a on a.attrelid = c.oid and a.attnum = k.conkey[1]
    where n.nspname in ('public', 'private') and not (k.contype = 'n' and (a.attidentity <> '' or exists (
      select from pg_constraint as p where p.conrelid = c.oid and p.contype = 'p' and a.attnum = any (p.conkey))))`);
  if (constraints.kind === 'refused') throw new Error(constraints.message);
  const unwatched = constraints.rows.filter(({ name, type, relation, column }) => {
    const table = TABLES[String(relation)];
    if (type === 'n') return table?.required.includes(String(column)) !== true;
    return ![table?.refused, table?.unique, table?.references].some((watched) => watched?.[String(name)] !== undefined);
  });
  expect(unwatched, UNWATCHED).toEqual([]);
});

/** The last migration that makes this function or trigger. */
function findDefinition(place: string): string {
  const [name = ''] = /^[\w.]+/.exec(place) ?? [];
  const made = new RegExp(`^create (?:or replace )?(?:function|trigger) ${name.replace('.', String.raw`\.`)}\\b`, 'm');
  const files = globSync('supabase/migrations/*.sql').toSorted();
  return path.basename(files.findLast((file) => made.test(readFileSync(file, 'utf8'))) ?? 'no migration');
}

/** Functions and triggers that name the last name, and do without these other columns on purpose. */
const WITHOUT: readonly string[] = [
  // The line's `contributorEmail` gives it.
  'private.desk_whole(bigint): contact_email',
];

test('What names one column of contact details names each of them, or says here that it does not (§3)', async () => {
  const missing = await scene.owner(`
    with place (name, source) as (
      select oid::regprocedure::text, prosrc from pg_proc
      where pronamespace in ('public'::regnamespace, 'private'::regnamespace)
      union all
      select tgname, pg_get_triggerdef(oid) from pg_trigger where tgrelid = 'public.interviews'::regclass
    )
    select format('%s: %s', place.name, attname) as name from place join pg_attribute on attnum > 0
    where attrelid = 'public.interviews'::regclass and source ~ 'contact_last_name'
      and source !~ ('\\m' || attname || '\\M')
      and (attname like 'contact%' or (place.name = 'private.on_interview_insert()'
        and has_column_privilege('anon', attrelid, attnum, 'update')))
    order by 1`);
  if (missing.kind === 'refused') throw new Error(missing.message);
  const names = missing.rows.map(({ name }) => String(name));
  const unexpected = names.filter((name) => !WITHOUT.includes(name));
  const running = unexpected.map((name) => `${name}, defined in ${findDefinition(name)}`);
  expect(running, 'Replace it by a migration that names the column, or list it in WITHOUT').toEqual([]);
  expect(names, 'an entry of WITHOUT that names the column by now').toEqual(WITHOUT);
});

test('The contract names each field of a contribution that the desk is given (desk)', async () => {
  const given = await scene.owner(`
    select distinct jsonb_object_keys(private.desk_whole(interview_id)) as name from private.desk_items order by 1`);
  if (given.kind === 'refused') throw new Error(given.message);
  const fields = given.rows.map(({ name }) => String(name));
  expect(fields).toContain('firstName');
  const named = Object.keys(DeskContributionSchema.shape);
  expect(
    fields.filter((field) => !named.includes(field)),
    'private.desk_whole() gives it and src/contract/desk.ts does not name it',
  ).toEqual([]);
});

test('Rules call every function of the schema public (§6)', async () => {
  const functions = await scene.owner(
    `select 'public.' || oid::regprocedure::text as name from pg_proc where pronamespace = 'public'::regnamespace
      order by 1`,
  );
  if (functions.kind === 'refused') throw new Error(functions.message);
  expect(
    functions.rows.map(({ name }) => String(name)),
    UNWATCHED,
  ).toEqual(Object.keys(CALLS).toSorted());
});

test.each(OWN_RULES)('Database rule: $name', (rule) => checkRule(scene, rule));

// What one leaves behind could hide what another one watches.
test('Rules leave behind what they found, also those that commit on another connection', async () => {
  expect(await readCommitted()).toBe(prepared);
});
