import type pg from 'pg';
import { GRANTED_PRIVILEGES } from '#tests/rules/privileges.ts';
import type { Mutation } from './mutation.ts';

/** Every privilege that a request role could have in the product's schemas, in the words of `grant`. */
const POSSIBLE = `
  with ours as (select oid, nspname::text as name from pg_namespace where nspname in ('public', 'private')),
  grantee as (select unnest(array['anon', 'authenticated', 'service_role']) as name),
  relation as (
    select format('%s.%s', o.name, c.relname) as name, c.oid, c.relkind, o.name as schema
    from pg_class as c join ours as o on o.oid = c.relnamespace where c.relkind in ('r', 'S')
  ),
  possible as (
    select verb || ' on table ' || r.name as privilege, r.name as about
    from relation as r, unnest(array['select', 'insert', 'update', 'delete', 'truncate']) as verb where r.relkind = 'r'
    union all
    select format('%s (%s) on table %s', verb, a.attname, r.name), r.name
    from relation as r join pg_attribute as a on a.attrelid = r.oid and a.attnum > 0 and not a.attisdropped,
      unnest(array['insert', 'update']) as verb
    where r.relkind = 'r' and r.schema = 'public'
    union all
    select verb || ' on sequence ' || r.name, r.name
    from relation as r, unnest(array['select', 'update', 'usage']) as verb where r.relkind = 'S'
    union all
    select verb || ' on schema ' || o.name, o.name from ours as o, unnest(array['usage', 'create']) as verb
  )
  select privilege || ' to ' || g.name as line, about from possible, grantee as g
  union all
  select line, about from (
    select format('execute on function %s to %s', p.name, g.name) as line, p.name as about
    from (select case when o.name = 'public' then 'public.' else '' end || f.oid::regprocedure::text as name
      from pg_proc as f join ours as o on o.oid = f.pronamespace) as p,
      (select name from grantee union all select 'PUBLIC') as g
  ) as functions
  order by 1`;

/** Grants each privilege that is not there and revokes each that is. */
export async function privilegeMutations(client: pg.ClientBase): Promise<Mutation[]> {
  const granted = await client.query<{ line: string }>(GRANTED_PRIVILEGES);
  const there = new Set(granted.rows.map(({ line }) => line));
  const possible = await client.query<{ line: string; about: string }>(POSSIBLE);
  const abouts = new Map(possible.rows.map(({ line, about }) => [line, about]));
  // Whoever has all of a table has each of its columns.
  const implied = (line: string): boolean =>
    there.has(line) || there.has(line.replace(/ \([^)]*\) on table/, ' on table'));
  const grants = possible.rows.filter(({ line }) => !implied(line));
  return [
    ...grants.map(({ line, about }) => mutation('granted', line, about)),
    ...[...there].map((line) => mutation('revoked', line, abouts.get(line) ?? '')),
  ];
}

function mutation(how: 'granted' | 'revoked', line: string, about: string): Mutation {
  const quoted = line.replace(/\((\w+)\) on table/, '("$1") on table');
  const sql = how === 'granted' ? `grant ${quoted}` : `revoke ${quoted.replace(/ to (\w+)$/, ' from $1')}`;
  return { kind: `privilege ${how}`, name: `${how}: ${line}`, sql, about: [about] };
}
