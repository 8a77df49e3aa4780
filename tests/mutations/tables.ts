import type pg from 'pg';
import { findSites, replaceAt, type Substitutes } from './sites.ts';
import type { Mutation } from './mutation.ts';

type Policy = Readonly<{ name: string; relation: string; using: string | null; check: string | null }>;

const POLICIES = `
  select quote_ident(p.polname) as name, format('%s.%s', n.nspname, c.relname) as relation,
    pg_get_expr(p.polqual, p.polrelid) as using, pg_get_expr(p.polwithcheck, p.polrelid) as check
  from pg_policy as p join pg_class as c on c.oid = p.polrelid join pg_namespace as n on n.oid = c.relnamespace
  where n.nspname in ('public', 'private', 'storage') order by 2, 1`;

/** Drops each policy, and replaces each of its conditions by true. */
export async function policyMutations(client: pg.ClientBase, substitutes: Substitutes): Promise<Mutation[]> {
  const { rows } = await client.query<Policy>(POLICIES);
  return rows.flatMap((policy) => {
    const { name, relation } = policy;
    const about = [relation, name];
    const dropped: Mutation = {
      kind: 'policy dropped',
      name: `${relation}: ${name}`,
      sql: `drop policy ${name} on ${relation}`,
      about,
    };
    const weakened = (['using', 'check'] as const).flatMap((part) => {
      const clause = part === 'using' ? 'using' : 'with check';
      return variants(policy[part], substitutes).map(({ what, text }): Mutation => ({
        kind: 'policy weakened',
        name: `${relation}: ${name}, ${clause}: ${what}`,
        sql: `alter policy ${name} on ${relation} ${clause} (${text})`,
        about,
      }));
    });
    return [dropped, ...weakened];
  });
}

/** The whole expression and each of its parts, weakened. */
function variants(expression: string | null, substitutes: Substitutes): Array<{ what: string; text: string }> {
  if (expression === null) return [];
  const parts = findSites(expression, substitutes).map((site) => ({
    what: `${site.what} → ${site.replacement}`,
    text: replaceAt(expression, site),
  }));
  return [{ what: 'true', text: 'true' }, ...parts];
}

const TABLES = `
  select format('%s.%s', n.nspname, c.relname) as name from pg_class as c
    join pg_namespace as n on n.oid = c.relnamespace
  where n.nspname in ('public', 'private') and c.relkind = 'r' order by 1`;

export async function rowSecurityMutations(client: pg.ClientBase): Promise<Mutation[]> {
  const { rows } = await client.query<{ name: string }>(TABLES);
  return rows.map(({ name }) => ({
    kind: 'row security disabled',
    name,
    sql: `alter table ${name} disable row level security`,
    about: [name],
  }));
}

type Constraint = Readonly<{ name: string; relation: string; type: string; column: string; expression: string | null }>;

/** Those of identity columns and primary keys cannot be dropped on their own. */
const CONSTRAINTS = `
  select quote_ident(k.conname) as name, format('%s.%s', n.nspname, c.relname) as relation, k.contype as type,
    (select quote_ident(a.attname) from pg_attribute as a
      where a.attrelid = c.oid and a.attnum = k.conkey[1]) as column,
    case k.contype when 'c' then pg_get_expr(k.conbin, k.conrelid) end as expression
  from pg_constraint as k join pg_class as c on c.oid = k.conrelid join pg_namespace as n on n.oid = c.relnamespace
  where n.nspname in ('public', 'private') and not (k.contype = 'n' and exists (
    select from pg_attribute as a
      where a.attrelid = c.oid and a.attnum = k.conkey[1] and (a.attidentity <> '' or exists (
      select from pg_constraint as p where p.conrelid = c.oid and p.contype = 'p' and a.attnum = any (p.conkey)))))
  order by 2, 1`;

/** Drops each constraint, takes each condition out of each check, and what a reference does when its row goes. */
export async function constraintMutations(client: pg.ClientBase): Promise<Mutation[]> {
  const { rows } = await client.query<Constraint>(CONSTRAINTS);
  return rows.flatMap((constraint) => {
    const { name, relation, type, column, expression } = constraint;
    const about = [relation, name];
    const drop = `alter table ${relation} drop constraint ${name}${type === 'n' ? '' : ' cascade'}`;
    const dropped: Mutation = {
      kind: 'constraint dropped',
      name: `${relation}: ${name} (${column})`,
      sql: drop,
      about,
    };
    const weakened = variants(expression, new Map())
      .slice(1)
      .map(({ what, text }): Mutation => ({
        kind: 'constraint weakened',
        name: `${relation}: ${name}: ${what}`,
        sql: `${drop}; alter table ${relation} add constraint ${name} check (${text}) not valid`,
        about,
      }));
    return [dropped, ...weakened];
  });
}

const TRIGGERS = `
  select quote_ident(t.tgname) as name, format('%s.%s', n.nspname, c.relname) as relation,
    format('%s.%s()', fn.nspname, f.proname) as function
  from pg_trigger as t join pg_class as c on c.oid = t.tgrelid join pg_namespace as n on n.oid = c.relnamespace
  join pg_proc as f on f.oid = t.tgfoid join pg_namespace as fn on fn.oid = f.pronamespace
  where not t.tgisinternal and fn.nspname in ('public', 'private') order by 2, 1`;

export async function triggerMutations(client: pg.ClientBase): Promise<Mutation[]> {
  const { rows } = await client.query<{ name: string; relation: string; function: string }>(TRIGGERS);
  return rows.map((trigger) => ({
    kind: 'trigger dropped',
    name: `${trigger.relation}: ${trigger.name}`,
    sql: `drop trigger ${trigger.name} on ${trigger.relation}`,
    about: [trigger.relation, trigger.name, trigger.function],
  }));
}
