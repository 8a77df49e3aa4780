import { fullName, type Snapshot } from '#backend/maintenance.ts';
import { MoveFault } from './faults.ts';
import { PLAIN, type MovedTable } from './moved-table.ts';

/** Tickets of a minute, counters of the day, hints for lists that are open somewhere: made anew wherever they are needed. */
const LEFT_BEHIND = new Set([
  'private.desk_removals',
  'private.desk_tickets',
  'private.network_counts',
  'private.network_key',
  'private.upload_volumes',
  'private.voice_minutes',
  'private.voice_sessions',
  'private.voice_tickets',
]);

const KEYS = `
  select n.nspname || '.' || c.relname as table, array(
    select a.attname::text from unnest(i.indkey::smallint[]) with ordinality as k (number, place)
    join pg_attribute as a on a.attrelid = c.oid and a.attnum = k.number order by k.place
  ) as key
  from pg_index as i join pg_class as c on c.oid = i.indrelid join pg_namespace as n on n.oid = c.relnamespace
  where i.indisprimary and n.nspname in ('public', 'private')`;

const REFERENCES = `
  select cn.nspname || '.' || c.relname as child, pn.nspname || '.' || p.relname as parent
  from pg_constraint as f
  join pg_class as c on c.oid = f.conrelid join pg_namespace as cn on cn.oid = c.relnamespace
  join pg_class as p on p.oid = f.confrelid join pg_namespace as pn on pn.oid = p.relnamespace
  where f.contype = 'f' and f.conrelid <> f.confrelid and cn.nspname in ('public', 'private')`;

/** Whether anybody works on the installation: then mails that wait are still its own to send. */
export type Life = 'running' | 'still';

/** All tables of the project's own schemas, each after those it refers to. Throws MoveFault `no_key`. */
export async function projectTables(snapshot: Snapshot, life: Life): Promise<MovedTable[]> {
  const keys = new Map(
    (await snapshot.rows<{ table: string; key: string[] }>(KEYS)).map(({ table, key }) => [table, key]),
  );
  const tables = snapshot.tables
    .filter(({ schema }) => schema === 'public' || schema === 'private')
    .filter((table) => !LEFT_BEHIND.has(fullName(table)))
    .map(({ schema, name, columns }): MovedTable => {
      const key = keys.get(`${schema}.${name}`);
      if (key === undefined) throw new MoveFault('no_key', `${schema}.${name}`);
      return { ...PLAIN, schema, name, columns, key, compared: columns, ...habits(`${schema}.${name}`, life) };
    });
  return inOrder(tables, await snapshot.rows<{ child: string; parent: string }>(REFERENCES));
}

function habits(table: string, life: Life): Partial<MovedTable> {
  switch (table) {
    case 'private.settings':
      // Whether somebody sends the desk's mails, a server says at its start.
      return { rows: `name <> 'desk_mail'`, counts: `name <> 'desk_mail'`, seeded: true };
    case 'private.desk_mails':
      return life === 'still' ? {} : { rows: `state not in ('waiting', 'claimed', 'sending')` };
    default:
      return {};
  }
}

type Reference = Readonly<{ child: string; parent: string }>;

function inOrder(tables: readonly MovedTable[], references: readonly Reference[]): MovedTable[] {
  const waiting = new Map(tables.map((table) => [fullName(table), table]));
  const ordered: MovedTable[] = [];
  while (waiting.size > 0) {
    const free = [...waiting].filter(
      ([name]) => !references.some(({ child, parent }) => child === name && waiting.has(parent)),
    );
    // Tables that refer to each other: their order is the database's to refuse.
    for (const [name, table] of free.length > 0 ? free : [...waiting]) {
      ordered.push(table);
      waiting.delete(name);
    }
  }
  return ordered;
}
