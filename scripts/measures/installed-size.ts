import { existsSync, lstatSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';

const LockSchema = z.object({
  packages: z.record(z.string(), z.object({ dev: z.boolean().default(false) })),
});

/**
 * The folders, relative to the repository, that `npm start` installs: the packages that are not for development only.
 */
export function startPackages(lockFile: string): string[] {
  const { packages } = LockSchema.parse(JSON.parse(lockFile));
  return Object.entries(packages).flatMap(([folder, { dev }]) => (folder === '' || dev ? [] : [folder]));
}

/** Megabytes on disk of the packages that `npm start` installs on this machine. */
export function startMegabytes(root: string): number {
  const folders = startPackages(readFileSync(path.join(root, 'package-lock.json'), 'utf8'));
  const bytes = folders.reduce((sum, folder) => sum + packageBytes(path.join(root, folder)), 0);
  return Math.round(bytes / 1024 / 1024);
}

/** A package's own files on disk, without the packages nested in it; 0 where it is not installed. */
export function packageBytes(folder: string): number {
  if (!existsSync(folder)) return 0;
  return readdirSync(folder, { withFileTypes: true }).reduce((sum, entry) => {
    if (entry.name === 'node_modules') return sum;
    const place = path.join(folder, entry.name);
    return sum + (entry.isDirectory() ? packageBytes(place) : lstatSync(place).blocks * 512);
  }, 0);
}
