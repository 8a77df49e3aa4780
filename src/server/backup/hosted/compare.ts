import type { User } from '@supabase/supabase-js';
import { type FileReader, formatName, qualifyName } from '#backend/maintenance.ts';
import { hashCopies } from './transfer-file.ts';
import {
  formatFileName,
  listFileEntries,
  readTargetFiles,
  type FileEntry,
  type SourceFile,
  type TargetFile,
} from './plan-files.ts';
import { type MovedTable, stagingTable } from './tables.ts';
import { retryWhileAway, toApiError } from './errors.ts';
import { openSourceFile } from './source.ts';
import type { Target } from './target.ts';
import { judgeRows } from './rows.ts';

/** Numbers on both sides and of equal items, and examples of different ones. */
export type Compared = Readonly<{
  what: Readonly<{ kind: 'table'; name: string }> | Readonly<{ kind: 'accounts' | 'files' }>;
  here: number;
  there: number;
  same: number;
  examples: readonly string[];
}>;

export function agrees({ here, there, same }: Compared): boolean {
  return here === same && there === same;
}

/** `sums` trusts the hashes of the move; `every byte` reads both sides again. */
export type Depth = 'sums' | 'every byte';

const EXAMPLES = 5;

/** Compares the target's rows with the staged ones. */
export async function compareRows({ db }: Target, tables: readonly MovedTable[]): Promise<Compared[]> {
  const compared: Compared[] = [];
  for (const { table, place, counts } of await judgeRows(db, tables)) {
    const { rows } = await db.query<{ here: string; there: string }>(
      `select (select count(*) from ${stagingTable(place)}) as here,
         (select count(*) from ${qualifyName(table)} where ${table.counts}) as there`,
    );
    const different = await db.query<{ key: string }>(
      `select key from pg_temp.verdicts where place = $1 and verdict not in ('same', 'left')
        order by 1 limit ${EXAMPLES}`,
      [place],
    );
    compared.push({
      what: { kind: 'table', name: formatName(table) },
      here: Number(rows[0]?.here),
      there: Number(rows[0]?.there),
      same: counts.same,
      examples: different.rows.map(({ key }) => key),
    });
  }
  return compared;
}

export type FileSides = Readonly<{ target: Target; reader: FileReader; files: readonly SourceFile[]; depth: Depth }>;

/** Compares version, type and, with `every byte`, content of every file. */
export async function compareFiles({ target, reader, files, depth }: FileSides): Promise<Compared> {
  const targetFiles = await readTargetFiles(target.db);
  const there = new Map(targetFiles.map((file) => [formatFileName(file), file]));
  const known = new Map((await listFileEntries(target.db)).map((entry) => [formatFileName(entry), entry]));
  const different: string[] = [];
  for (const file of files) {
    const name = formatFileName(file);
    const fits = isAsMoved(file, there.get(name), known.get(name));
    if (!fits || (depth === 'every byte' && !(await isSame(target, reader, file)))) different.push(name);
  }
  const sourceNames = new Set(files.map(formatFileName));
  const surplus = targetFiles.map(formatFileName).filter((name) => !sourceNames.has(name));
  return {
    what: { kind: 'files' },
    here: files.length,
    there: targetFiles.length,
    same: files.length - different.length,
    examples: [...different, ...surplus].slice(0, EXAMPLES),
  };
}

function isAsMoved(file: SourceFile, there: TargetFile | undefined, entry: FileEntry | undefined): boolean {
  return (
    there !== undefined &&
    entry !== undefined &&
    entry.sha256 !== null &&
    entry.version === file.version &&
    entry.targetVersion === there.version &&
    there.type === file.type
  );
}

async function isSame(target: Target, reader: FileReader, file: SourceFile): Promise<boolean> {
  const opened = await openSourceFile({ files: reader }, file);
  return opened !== undefined && (await hashCopies(target, file, opened)) !== undefined;
}

const PAGE = 500;

type Row = Readonly<{ id: string; says: string }>;

/** Compares the accounts as the hosted project's own service reads them, which rows alone do not show. */
export async function compareAccounts(target: Target, tables: readonly MovedTable[]): Promise<Compared> {
  const place = tables.findIndex((table) => formatName(table) === 'auth.users');
  const { rows } = await target.db.query<Row>(
    `select id, concat_ws(' ', coalesce(email, '-'), coalesce(phone, '-'), email_confirmed_at is not null,
       phone_confirmed_at is not null, coalesce(banned_until > now(), false), is_anonymous) as says
     from ${stagingTable(place)}`,
  );
  const targetUsers = new Map((await listUsers(target)).map((user) => [user.id, describeUser(user)]));
  const different = rows.filter(({ id, says }) => targetUsers.get(id) !== says).map(({ id }) => id);
  return {
    what: { kind: 'accounts' },
    here: rows.length,
    there: targetUsers.size,
    same: rows.length - different.length,
    examples: different.slice(0, EXAMPLES),
  };
}

function describeUser(user: User): string {
  const banned = user.banned_until !== undefined && Date.parse(user.banned_until) > Date.now();
  const facts = [user.email_confirmed_at !== undefined, user.phone_confirmed_at !== undefined, banned];
  const flags = [...facts, user.is_anonymous === true].map((fact) => (fact ? 't' : 'f'));
  return [user.email || '-', user.phone || '-', ...flags].join(' ');
}

async function listUsers(target: Target): Promise<User[]> {
  const all: User[] = [];
  for (let page = 1; ; page += 1) {
    const data = await retryWhileAway(target, async () => {
      const answer = await target.supabase.auth.admin.listUsers({ page, perPage: PAGE });
      if (answer.error !== null) throw toApiError(answer.error);
      return answer.data;
    });
    all.push(...data.users);
    // A server may return smaller pages than requested.
    if (data.users.length === 0 || all.length >= data.total) return all;
  }
}
