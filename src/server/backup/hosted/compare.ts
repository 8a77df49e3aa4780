import type { FileReader } from '#backend/maintenance.ts';
import { fullName, qualified } from '#backend/maintenance.ts';
import { sumHere, sumThere } from './download.ts';
import { nameOf, targetFiles, type SourceFile, type TargetFile } from './file-plan.ts';
import { fileEntries, type FileEntry } from './ledger.ts';
import { staged, type MovedTable } from './moved-table.ts';
import { openFile } from './source-bytes.ts';
import type { Target } from './target.ts';
import { judgeRows } from './verdicts.ts';

/** How many there are on both sides, how many are the same, and some that are not, by name. */
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

/** Whether every byte is read again on both sides, or the sums of the move are believed. */
export type Depth = 'sums' | 'every byte';

const EXAMPLES = 5;

/** Rows as they are over there now against those that were staged. */
export async function compareRows({ db }: Target, tables: readonly MovedTable[]): Promise<Compared[]> {
  const compared: Compared[] = [];
  for (const { table, place, counts } of await judgeRows(db, tables)) {
    const { rows } = await db.query<{ here: string; there: string }>(
      `select (select count(*) from ${staged(place)}) as here,
         (select count(*) from ${qualified(table)} where ${table.counts}) as there`,
    );
    const different = await db.query<{ key: string }>(
      `select key from pg_temp.verdicts where place = $1 and verdict not in ('same', 'left') order by 1 limit ${EXAMPLES}`,
      [place],
    );
    compared.push({
      what: { kind: 'table', name: fullName(table) },
      here: Number(rows[0]?.here),
      there: Number(rows[0]?.there),
      same: counts.same,
      examples: different.rows.map(({ key }) => key),
    });
  }
  return compared;
}

export type FileSides = Readonly<{ target: Target; reader: FileReader; files: readonly SourceFile[]; depth: Depth }>;

/** Size, type and sum of every file. */
export async function compareFiles({ target, reader, files, depth }: FileSides): Promise<Compared> {
  const theirs = await targetFiles(target.db);
  const there = new Map(theirs.map((file) => [nameOf(file), file]));
  const known = new Map((await fileEntries(target.db)).map((entry) => [nameOf(entry), entry]));
  const different: string[] = [];
  for (const file of files) {
    const name = nameOf(file);
    const fits = isAsMoved(file, there.get(name), known.get(name));
    if (!fits || (depth === 'every byte' && !(await isSame(target, reader, file)))) different.push(name);
  }
  const ours = new Set(files.map(nameOf));
  const surplus = theirs.map(nameOf).filter((name) => !ours.has(name));
  return {
    what: { kind: 'files' },
    here: files.length,
    there: theirs.length,
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
  const opened = await openFile(reader, file);
  if (opened === undefined) return false;
  const [here, there] = await Promise.all([sumHere(opened), sumThere(target, file)]);
  return here.sha256 === there.sha256;
}
