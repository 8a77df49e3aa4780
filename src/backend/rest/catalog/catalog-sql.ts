/**
 * Everything the catalogue is built from, as one JSON document. `$1`: exposed schemas, `$2`: schemas whose types may be
 * cast to. Runs with an empty search path, so that every name but pg_catalog's is qualified. Reads the functions once:
 * each relation asks for those of its type, and PostgreSQL's own are sixty times as many.
 */
export const CATALOG_SQL = `
with exposed_functions as materialized (select p.* from pg_proc p join pg_namespace n on n.oid = p.pronamespace
  where n.nspname = any($1) and p.prokind = 'f')
select json_build_object(
  'relations', (select coalesce(json_agg(r), '[]') from (${relations()}) r),
  'foreignKeys', (select coalesce(json_agg(f), '[]') from (${foreignKeys()}) f),
  'routines', (select coalesce(json_agg(p), '[]') from (${routines()}) p),
  'types', (select coalesce(json_agg(t), '[]') from (${types()}) t),
  'views', (select coalesce(json_agg(v), '[]') from (${views()}) v),
  'keys', (select coalesce(json_agg(k), '[]') from (${keys()}) k)
)::text as document`;

function columns(relationOid: string): string {
  return `(select coalesce(json_agg(json_build_object(
      'name', a.attname, 'type', format_type(a.atttypid, a.atttypmod),
      'json', a.atttypid in ('json'::regtype, 'jsonb'::regtype),
      'fallback', case when a.attgenerated <> '' then null when a.attidentity <> '' then
        'nextval(' || quote_literal(pg_get_serial_sequence(a.attrelid::regclass::text, a.attname)) || ')'
        else (select pg_get_expr(d.adbin, d.adrelid) from pg_attrdef d
          where d.adrelid = a.attrelid and d.adnum = a.attnum) end
    ) order by a.attnum), '[]')
    from pg_attribute a where a.attrelid = ${relationOid} and a.attnum > 0 and not a.attisdropped)`;
}

function columnNames(relation: string, numbers: string): string {
  return `(select json_agg(a.attname order by k.at) from unnest(${numbers}) with ordinality k(num, at)
    join pg_attribute a on a.attrelid = ${relation} and a.attnum = k.num)`;
}

function relations(): string {
  return `select n.nspname as schema, c.relname as name,
    case when c.relkind in ('v', 'm') then 'view' else 'table' end as kind,
    ${columns('c.oid')} as columns,
    (select coalesce(json_agg(p.proname), '[]') from exposed_functions p
      where p.pronargs = 1 and p.proargtypes[0] = c.reltype and p.pronamespace = n.oid) as computed,
    coalesce((select ${columnNames('x.conrelid', 'x.conkey')} from pg_constraint x
      where x.conrelid = c.oid and x.contype = 'p'), '[]') as "primaryKey",
    pg_relation_is_updatable(c.oid, true) as accepts
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where n.nspname = any($1) and c.relkind in ('r', 'p', 'v', 'm', 'f') and not c.relispartition`;
}

function views(): string {
  return `select c.oid::int8 as oid, n.nspname as schema, c.relname as name, r.ev_action::text as rule
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  join pg_rewrite r on r.ev_class = c.oid and r.rulename = '_RETURN'
  where n.nspname = any($1) and c.relkind in ('v', 'm')`;
}

/** Of every schema, where there are views: they may show tables that are not exposed themselves. */
function keys(): string {
  return `select conrelid::int8 as oid, conkey as columns from pg_constraint
  where contype = 'p' and exists (select from (${views()}) v)`;
}

function foreignKeys(): string {
  return `select x.conname as name,
    json_build_object('schema', sn.nspname, 'name', s.relname, 'columns',
      ${columnNames('s.oid', 'x.conkey')}) as "from",
    json_build_object('schema', tn.nspname, 'name', t.relname, 'columns', ${columnNames('t.oid', 'x.confkey')}) as "to",
    exists (select from pg_index i where i.indrelid = s.oid and i.indisunique and i.indpred is null
      and (select array_agg(k order by k) from unnest(i.indkey::int2[]) k)
        = (select array_agg(k order by k) from unnest(x.conkey) k)) as unique
  from pg_constraint x
  join pg_class s on s.oid = x.conrelid join pg_namespace sn on sn.oid = s.relnamespace
  join pg_class t on t.oid = x.confrelid join pg_namespace tn on tn.oid = t.relnamespace
  where x.contype = 'f' and x.conparentid = 0 and sn.nspname = any($1) and tn.nspname = any($1)`;
}

function routines(): string {
  return `select n.nspname as schema, p.proname as name, p.provolatile = 'v' as volatile, p.proretset as set,
    p.pronargdefaults as defaults, p.provariadic <> 0 as variadic,
    p.proargnames as "argNames", p.proargmodes::text[] as "argModes",
    (select json_agg(format_type(a.type, null) order by a.at)
      from unnest(coalesce(p.proallargtypes, p.proargtypes::oid[])) with ordinality a(type, at)) as "argTypes",
    case when p.prorettype = 'void'::regtype then 'void'
      when t.typtype = 'c' or coalesce(p.proargmodes::text[] && '{t,b,o}', false) then 'composite'
      else 'scalar' end as kind,
    case when t.typrelid <> 0 then ${columns('t.typrelid')} end as columns,
    rn.nspname as "relationSchema", rc.relname as "relationName"
  from exposed_functions p join pg_namespace n on n.oid = p.pronamespace join pg_type t on t.oid = p.prorettype
  left join pg_class rc on rc.oid = t.typrelid left join pg_namespace rn on rn.oid = rc.relnamespace
  where p.prorettype <> 'trigger'::regtype`;
}

function types(): string {
  return `select t.typname as name, format_type(t.oid, null) as sql
  from pg_type t join pg_namespace n on n.oid = t.typnamespace left join pg_class c on c.oid = t.typrelid
  where n.nspname = any($2) and t.typtype in ('b', 'd', 'e', 'r', 'm') and t.typelem = 0
  order by array_position($2, n.nspname::text) desc`;
}

/** What only the description of schema `$1` shows. A domain counts as its base type, as upstream describes it. */
export const DETAILS_SQL = `
with described as (select c.oid, c.relname, obj_description(c.oid, 'pg_class') as comment
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where n.nspname = $1 and c.relkind in ('r', 'p', 'v', 'm', 'f') and not c.relispartition)
select json_build_object(
  'comment', (select obj_description(n.oid, 'pg_namespace') from pg_namespace n where n.nspname = $1),
  'relations', (select coalesce(json_object_agg(c.relname, json_build_object('comment', c.comment, 'columns',
    (select coalesce(json_agg(json_build_object(
        'name', a.attname, 'comment', col_description(a.attrelid, a.attnum),
        'required', a.attnotnull or t.typnotnull,
        'type', case when b.typnamespace = 'pg_catalog'::regnamespace then format_type(b.oid, null)
          else format_type(a.atttypid, a.atttypmod) end,
        'maxLength', information_schema._pg_char_max_length(
          information_schema._pg_truetypid(a.*, t.*), information_schema._pg_truetypmod(a.*, t.*)),
        'labels', (select coalesce(json_agg(e.enumlabel order by e.enumsortorder), '[]')
          from pg_enum e where e.enumtypid = b.oid)
      ) order by a.attnum), '[]')
      from pg_attribute a join pg_type t on t.oid = a.atttypid
      join pg_type b on b.oid = coalesce(nullif(t.typbasetype, 0), t.oid)
      where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped))), '{}') from described c),
  'routines', (select coalesce(json_object_agg(p.proname, d.description), '{}')
    from pg_proc p join pg_namespace n on n.oid = p.pronamespace
    join pg_description d on d.objoid = p.oid and d.classoid = 'pg_proc'::regclass
    where n.nspname = $1)
) as document`;
