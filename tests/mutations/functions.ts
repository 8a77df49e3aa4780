import type pg from 'pg';
import { findSites, replaceAt, type Substitutes } from './sites.ts';
import type { Mutation } from './mutation.ts';

type Routine = Readonly<{
  signature: string;
  qualified: string;
  schema: string;
  source: string;
  definition: string;
  definer: boolean;
  returns: string;
  set: boolean;
  fixed: boolean;
  trigger: boolean;
  /** anon may execute it. */
  open: boolean;
  /** Some request role may. */
  reachable: boolean;
}>;

const ROUTINES = `
  select case when n.nspname = 'public' then 'public.' else '' end || p.oid::regprocedure::text as signature,
    format('%s.%s', n.nspname, p.proname) as qualified, n.nspname::text as schema, p.prosrc as source,
      pg_get_functiondef(p.oid) as definition,
    p.prosecdef as definer, p.prorettype::regtype::text as returns, p.proretset as set,
    coalesce(p.proconfig @> array['search_path=""'], false) as fixed, p.prorettype = 'trigger'::regtype as trigger,
    has_function_privilege('anon', p.oid, 'execute') as open,
    (select bool_or(has_function_privilege(r, p.oid, 'execute'))
      from unnest(array['anon', 'authenticated', 'service_role']) as r) as reachable
  from pg_proc as p join pg_namespace as n on n.oid = p.pronamespace
  where n.nspname in ('public', 'private') and p.prokind = 'f' order by 1`;

export async function readRoutines(client: pg.ClientBase): Promise<Routine[]> {
  return (await client.query<Routine>(ROUTINES)).rows;
}

/**
 * What stands instead of a call, by what it returns: a condition is true or false, an account is the token's, a set of
 * contributions or sessions is all of them, and a call that only does something is left out.
 */
export function substitutesFor(routines: readonly Routine[]): Substitutes {
  const own = routines.flatMap(({ qualified, returns, set, schema }): Array<[string, readonly string[]]> => {
    if (returns === 'void') return [[qualified, ['null']]];
    if (schema !== 'private') return [];
    if (returns === 'boolean') return [[qualified, ['true', 'false']]];
    if (returns === 'uuid' && !set) return [[qualified, ['auth.uid()', 'null::uuid']]];
    if (returns === 'bigint' && set) return [[qualified, ['generate_series(1::bigint, 1000::bigint)']]];
    if (returns === 'uuid' && set) return [[qualified, ['unnest(array(select s.id from auth.sessions as s))']]];
    return [];
  });
  return new Map([...own, ['auth.uid', ['null::uuid']], ['auth.role', [`'service_role'::text`]]]);
}

/** Takes from each function that runs with its owner's privileges those, its search_path and each of its guards. */
export function functionMutations(routines: readonly Routine[], substitutes: Substitutes): Mutation[] {
  return routines.flatMap((routine) => {
    const { signature, definer, trigger, open, fixed, reachable } = routine;
    const about = [signature];
    const flags: Mutation[] = definer
      ? [
          {
            kind: 'definer removed',
            name: reachable || trigger ? signature : `${signature}, which no request role may execute`,
            sql: `alter function ${signature} security invoker`,
            about,
          },
        ]
      : [];
    const paths: Mutation[] =
      definer && fixed
        ? [
            {
              kind: 'search_path removed',
              name: signature,
              sql: `alter function ${signature} reset search_path`,
              about: ['search_path'],
            },
          ]
        : [];
    const guarded = definer || trigger || open || routine.source.includes('current_setting(');
    return [...flags, ...paths, ...(guarded ? guardMutations(routine, substitutes) : [])];
  });
}

function guardMutations(routine: Routine, substitutes: Substitutes): Mutation[] {
  const { signature, source, definition } = routine;
  return findSites(source, substitutes).map((site) => {
    const line = source.slice(0, site.start).split('\n').length;
    return {
      kind: 'guard removed',
      name: `${signature}, line ${line}, ${site.start}: ${site.what} → ${site.replacement}`,
      sql: definition.replace(source, () => replaceAt(source, site)),
      about: [signature],
    };
  });
}
