import { formatName, qualifyName, quoteName, type Snapshot } from '#backend/maintenance.ts';
import { MoveError } from './errors.ts';

/** A table whose rows move. `SQL` marks values that are SQL expressions. */
export type MovedTable = Readonly<{
  schema: string;
  name: string;
  /** Copied to the target. */
  columns: readonly string[];
  key: readonly string[];
  /** Decide whether two rows are the same; the other columns change with each login. */
  compared: readonly string[];
  /** Replaces the value of some columns: SQL of each. */
  read: Readonly<Record<string, string>>;
  /** Which rows move, and which rows count at the target: SQL. */
  rows: string;
  counts: string;
  /** Fills columns that the source has not and upstream requires: SQL of each. */
  given: Readonly<Record<string, string>>;
  /** Migrations insert rows, which the first move replaces. */
  seeded: boolean;
}>;

export const PLAIN: Pick<MovedTable, 'read' | 'rows' | 'counts' | 'given' | 'seeded'> = {
  read: {},
  rows: 'true',
  counts: 'true',
  given: {},
  seeded: false,
};

/** A row's key as text, the same in every PostgreSQL. */
export function keySql(table: MovedTable): string {
  return `row(${columnList(table.key)})::text`;
}

export function sumSql(table: MovedTable): string {
  return `encode(sha256(convert_to(row(${columnList(table.compared)})::text, 'UTF8')), 'hex')`;
}

export function columnList(columns: readonly string[]): string {
  return columns.map(quoteName).join(', ');
}

/** The temporary table in the target's session that holds the source's rows. */
export function stagingTable(place: number): string {
  return qualifyName({ schema: 'pg_temp', name: `moving_${place}` });
}

/**
 * Accounts, in upstream's tables. Sessions (only hashes of their tokens are stored), pending links and codes, and the
 * audit log stay behind. Columns that a login changes are copied but not compared, so the target may be tried out
 * before the last run.
 */
export const AUTH_TABLES: readonly MovedTable[] = [
  {
    ...auth('users', ['id'], {
      // prettier-ignore
      compared: [
        'id', 'instance_id', 'aud', 'role', 'email', 'encrypted_password', 'email_confirmed_at', 'invited_at',
        'raw_app_meta_data', 'raw_user_meta_data', 'created_at', 'phone', 'phone_confirmed_at', 'banned_until',
        'is_sso_user', 'deleted_at', 'is_anonymous',
      ],
      carried: ['last_sign_in_at', 'updated_at'],
    }),
    // Upstream fails on null in these columns, and in those under `read`.
    given: {
      confirmation_token: `''`,
      recovery_token: `''`,
      email_change_token_new: `''`,
      email_change: `''`,
      is_super_admin: 'false',
    },
  },
  auth('identities', ['id'], {
    compared: ['id', 'provider_id', 'user_id', 'identity_data', 'provider', 'created_at'],
    carried: ['last_sign_in_at', 'updated_at'],
  }),
  {
    ...auth('mfa_factors', ['id'], {
      compared: ['id', 'user_id', 'friendly_name', 'factor_type', 'status', 'created_at', 'phone'],
      carried: ['updated_at', 'secret', 'web_authn_credential', 'web_authn_aaguid'],
    }),
    rows: `status = 'verified'`,
    read: { friendly_name: `coalesce(friendly_name, '')`, secret: `coalesce(secret, '')` },
  },
  auth('sso_providers', ['id'], { compared: ['id', 'resource_id', 'created_at'], carried: ['updated_at', 'disabled'] }),
  auth('sso_domains', ['id'], { compared: ['id', 'sso_provider_id', 'domain', 'created_at'], carried: ['updated_at'] }),
  {
    ...auth('saml_providers', ['id'], {
      compared: ['id', 'sso_provider_id', 'entity_id', 'metadata_url', 'attribute_mapping', 'created_at'],
      carried: ['metadata_xml', 'updated_at', 'name_id_format'],
    }),
    read: { attribute_mapping: `coalesce(attribute_mapping, '{}')` },
  },
];

type Columns = Readonly<{ compared: readonly string[]; carried: readonly string[] }>;

function auth(name: string, key: readonly string[], { compared, carried }: Columns): MovedTable {
  return { ...PLAIN, schema: 'auth', name, key, compared, columns: [...compared, ...carried] };
}

/** Short-lived rows, which the target makes again: tickets, counters of a day, hints for open lists. */
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

/** A running server still sends the mails that wait, so they stay behind. */
export type SourceState = 'running' | 'stopped';

/** All tables of the project's own schemas, each after the tables it refers to. Throws MoveError `no_key`. */
export async function projectTables(snapshot: Snapshot, state: SourceState): Promise<MovedTable[]> {
  const keys = new Map(
    (await snapshot.rows<{ table: string; key: string[] }>(KEYS)).map(({ table, key }) => [table, key]),
  );
  const tables = snapshot.tables
    .filter(({ schema }) => schema === 'public' || schema === 'private')
    .filter((table) => !LEFT_BEHIND.has(formatName(table)))
    .map(({ schema, name, columns }): MovedTable => {
      const key = keys.get(`${schema}.${name}`);
      if (key === undefined) throw new MoveError('no_key', `${schema}.${name}`);
      return { ...PLAIN, schema, name, columns, key, compared: columns, ...getExceptions(`${schema}.${name}`, state) };
    });
  return sortByReferences(tables, await snapshot.rows<{ child: string; parent: string }>(REFERENCES));
}

function getExceptions(table: string, state: SourceState): Partial<MovedTable> {
  switch (table) {
    case 'private.settings':
      // Each server writes this row at its start.
      return { rows: `name <> 'desk_mail'`, counts: `name <> 'desk_mail'`, seeded: true };
    case 'private.desk_mails':
      return state === 'stopped' ? {} : { rows: `state not in ('waiting', 'claimed', 'sending')` };
    default:
      return {};
  }
}

type Reference = Readonly<{ child: string; parent: string }>;

function sortByReferences(tables: readonly MovedTable[], references: readonly Reference[]): MovedTable[] {
  const waiting = new Map(tables.map((table) => [formatName(table), table]));
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
