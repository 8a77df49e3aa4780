import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { ceiling, type Row } from './table.ts';

const MEGABYTE = 1_000_000;
const MOST_MEGABYTES = 900;

/** The packages of a clone with all of its development, without what the tools keep beside them. */
export async function installationRow(): Promise<Row> {
  const files = await readdir('node_modules', { recursive: true, withFileTypes: true });
  const sizes = files
    .filter((file) => file.isFile() && !/(?:^|\/)node_modules\/\./.test(`${file.parentPath}/`))
    .map(async (file) => (await stat(path.join(file.parentPath, file.name))).size);
  const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
  return ceiling('installed packages', bytes / MEGABYTE, 'MB', MOST_MEGABYTES);
}
