import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';

/** What a person loads before the login: the static imports of these files. */
const ENTRIES = ['main.tsx', 'features/login/index.ts'].map((file) => path.join(import.meta.dirname, file));
const IMPORT = /^(?:import|export)\s(?!type\b)(?:[^'";]*?\sfrom\s)?'([^']+)'/gm;

/** The packages that these files reach without a dynamic import. */
function listPackages(entries: readonly string[]): readonly string[] {
  const packages = new Set<string>();
  const files = new Set(entries);
  for (const file of files) {
    for (const [, specifier = ''] of readFileSync(file, 'utf8').matchAll(IMPORT)) {
      const found = resolve(specifier, file);
      if (found === undefined) packages.add(specifier);
      else if (existsSync(found)) files.add(found);
    }
  }
  return [...packages].toSorted();
}

function resolve(specifier: string, from: string): string | undefined {
  if (specifier.startsWith('.')) return path.join(path.dirname(from), specifier);
  const inside = /^#(web|contract)\/(.*)$/.exec(specifier);
  return inside === null ? undefined : path.join(import.meta.dirname, '..', inside[1] ?? '', inside[2] ?? '');
}

it('Loads few packages before the login, so that its bundle stays below 110 kB (decisions 0203, 0204)', () => {
  expect(listPackages(ENTRIES)).toEqual(['@tanstack/react-router', 'clsx', 'react', 'react-dom/client', 'zod/v4/core']);
});
