import { asOwner } from './callers.ts';

type Entry = Readonly<{ kind: string; name: string; value: string }>;

const OURS = `!~ '^pg_' and nspname <> 'information_schema'`;
const grants = (acl: string, kind: string, owner: string): string =>
  `(select array_agg(g order by g) from (
    select format('%s=%s/%s%s', grantee::regrole, privilege_type, grantor::regrole, is_grantable) as g
    from aclexplode(coalesce(${acl}, acldefault('${kind}', ${owner})))
  ) as granted)`;

/** What a schema consists of. Whether older rows were checked against a constraint (NOT VALID) is no part of it. */
const DEFINITIONS = `
  with ours as (select oid, nspname, nspacl, nspowner from pg_namespace where nspname ${OURS})
  select 'schema' as kind, nspname::text as name,
    concat(nspowner::regrole, ${grants('nspacl', 'n', 'nspowner')}) as value from ours
  union all select 'relation', c.oid::regclass::text,
    concat_ws(' ', c.relkind, c.relpersistence, c.relowner::regrole, c.relrowsecurity, c.relforcerowsecurity,
      c.reloptions,
      ${grants('c.relacl', 'r', 'c.relowner')}, c.relreplident)
    from pg_class as c join ours on ours.oid = c.relnamespace where c.relkind in ('r', 'v', 'm', 'S', 'c')
  union all select 'columns', a.attrelid::regclass::text, string_agg(
      concat_ws(' ', a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull, a.attidentity, a.attgenerated,
        a.attcollation::regcollation, a.attstorage, a.attcompression, a.attstattarget, pg_get_expr(d.adbin, d.adrelid),
        case when a.attacl is not null then ${grants('a.attacl', 'c', 'c.relowner')} end), E'\\n' order by a.attnum)
    from pg_attribute as a join pg_class as c on c.oid = a.attrelid join ours on ours.oid = c.relnamespace
    left join pg_attrdef as d on d.adrelid = a.attrelid and d.adnum = a.attnum
    where a.attnum > 0 and not a.attisdropped group by a.attrelid
  union all select 'sequence', s.seqrelid::regclass::text,
    concat_ws(' ', s.seqtypid::regtype, s.seqstart, s.seqincrement, s.seqmin, s.seqmax, s.seqcache, s.seqcycle,
      (select concat(refobjid::regclass, refobjsubid) from pg_depend
        where objid = s.seqrelid and deptype in ('a', 'i')))
    from pg_sequence as s join pg_class as c on c.oid = s.seqrelid join ours on ours.oid = c.relnamespace
  union all select 'index', indexrelid::regclass::text, pg_get_indexdef(indexrelid) from pg_index
    join pg_class as c on c.oid = indexrelid join ours on ours.oid = c.relnamespace
  union all select 'constraint', concat_ws(' ', conrelid::regclass, conname),
    replace(pg_get_constraintdef(k.oid), ' NOT VALID', '')
    from pg_constraint as k join ours on ours.oid = k.connamespace
  union all select 'policy', concat_ws(' ', polrelid::regclass, polname), concat_ws(' ', polcmd, polpermissive,
      (select array_agg(r::regrole::text order by r::regrole::text) from unnest(polroles) as r),
      pg_get_expr(polqual, polrelid), '/', pg_get_expr(polwithcheck, polrelid))
    from pg_policy
  union all select 'trigger', concat_ws(' ', tgrelid::regclass, tgname),
    concat_ws(' ', pg_get_triggerdef(oid), tgenabled)
    from pg_trigger where not tgisinternal
  union all select 'function', p.oid::regprocedure::text,
    concat_ws(' ', pg_get_functiondef(p.oid), p.proowner::regrole, ${grants('p.proacl', 'f', 'p.proowner')})
    from pg_proc as p join ours on ours.oid = p.pronamespace where p.prokind in ('f', 'p')
  union all select 'type', t.oid::regtype::text,
    concat_ws(' ', t.typtype, t.typowner::regrole, ${grants('t.typacl', 'T', 't.typowner')},
      (select array_agg(enumlabel order by enumsortorder) from pg_enum where enumtypid = t.oid))
    from pg_type as t join ours on ours.oid = t.typnamespace where t.typelem = 0
  union all select 'default privileges',
    concat_ws(' ', defaclrole::regrole, defaclnamespace::regnamespace, defaclobjtype),
    ${grants('defaclacl', 'r', 'defaclrole')}::text from pg_default_acl
  union all select 'extension', extname, extnamespace::regnamespace::text from pg_extension
  union all select 'comment', pg_describe_object(classoid, objoid, objsubid), description from pg_description
    where classoid = any (array['pg_proc', 'pg_class', 'pg_namespace', 'pg_policy']::regclass[]) and objoid >= 16384
  union all select 'setting', name, value::text from private.settings
  union all select 'bucket', id, (to_jsonb(b) - 'created_at' - 'updated_at')::text from storage.buckets as b
  order by 1, 2, 3`;

/** All objects of a database and the rows that migrations put in, each with its definition. */
export async function readCatalog(url: string): Promise<readonly Entry[]> {
  return (await asOwner(url, (client) => client.query<Entry>(DEFINITIONS))).rows;
}
