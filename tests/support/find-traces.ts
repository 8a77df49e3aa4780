import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { asOwner } from './callers.ts';

/**
 * Where any of the words still stands: in any row of any table of any schema, the catalogue and the planner's
 * statistics included, and in any file below the folders, mails decoded.
 */
export async function findTraces(
  where: Readonly<{ databaseUrl: string; folders: readonly string[] }>,
  words: readonly string[],
): Promise<string[]> {
  const [inTables, inFiles] = [await tables(where.databaseUrl, words), await files(where.folders, words)];
  return [...inTables, ...inFiles];
}

async function tables(databaseUrl: string, words: readonly string[]): Promise<string[]> {
  return asOwner(databaseUrl, async (client) => {
    const { rows } = await client.query<{ name: string }>(
      `select format('%I.%I', n.nspname, c.relname) as name from pg_class c
        join pg_namespace n on n.oid = c.relnamespace
       where c.relkind in ('r', 'm', 'p') order by 1`,
    );
    // One pass for all words; `ilike any` would fold the whole catalogue once for each.
    const anyWord = words.map((word) => word.replaceAll(/[^\p{L}\p{N}]/gu, '\\$&')).join('|');
    const found: string[] = [];
    for (const { name } of rows) {
      const hits = await client.query<{ row: string }>(
        `select left(row, 300) as row from (select t::text as row from ${name} t offset 0) as read where row ~* $1`,
        [anyWord],
      );
      found.push(...hits.rows.map(({ row }) => `${name}: ${row}`));
    }
    return found;
  });
}

async function files(folders: readonly string[], words: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const folder of folders) {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
    for (const entry of entries.filter((one) => one.isFile())) {
      const file = path.join(entry.parentPath, entry.name);
      const text = decoded(await readFile(file, 'latin1').catch(() => ''));
      for (const word of words) if (`${file}\n${text}`.includes(asLatin1(word))) found.push(`${file}: ${word}`);
    }
  }
  return found;
}

/** UTF-8 as it looks in a file that is read byte by byte. */
function asLatin1(word: string): string {
  return Buffer.from(word).toString('latin1');
}

/** Mails of ours hold base64. */
function decoded(text: string): string {
  return text.includes('Content-Transfer-Encoding: base64')
    ? text +
        [...text.matchAll(/(?:[\w+/=]{4,}\r?\n?)+/g)]
          .map(([block]) => Buffer.from(block, 'base64').toString('latin1'))
          .join('\n')
    : text;
}
