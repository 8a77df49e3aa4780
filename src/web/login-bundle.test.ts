import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';

/** What every page begins with: the static imports of these files. */
const START = ['main.tsx'];
/** What the screens of a flow share. */
const FLOW = [...START, 'app/flow-route.tsx'];
const IMPORT = /^(?:import|export)\s(?!type\b)(?:[^'";]*?\sfrom\s)?'([^']+)'/gm;

/** The packages and files that these files reach without a dynamic import. */
function follow(entries: readonly string[]): Readonly<{ packages: readonly string[]; files: readonly string[] }> {
  const packages = new Set<string>();
  const files = new Set(entries.map((file) => path.join(import.meta.dirname, file)));
  for (const file of files) {
    for (const [, specifier = ''] of readFileSync(file, 'utf8').matchAll(IMPORT)) {
      const found = resolve(specifier, file);
      if (found === undefined) packages.add(specifier);
      else if (existsSync(found)) files.add(found);
    }
  }
  return { packages: [...packages].toSorted(), files: [...files] };
}

function resolve(specifier: string, from: string): string | undefined {
  if (specifier.startsWith('.')) return path.join(path.dirname(from), specifier);
  const inside = /^#(web|contract)\/(.*)$/.exec(specifier);
  return inside === null ? undefined : path.join(import.meta.dirname, '..', inside[1] ?? '', inside[2] ?? '');
}

const FEW = ['@tanstack/react-router', 'clsx', 'react', 'react-dom/client'];

it.each([
  ['the login', [...START, 'features/login/index.tsx'], []],
  ['the start page', [...START, 'features/start/index.tsx', 'app/navigation-parts.tsx'], []],
  ["a guest's upload", [...FLOW, 'features/contributor-upload/index.tsx'], []],
  // A recording is kept on the device from its first second.
  ['the voice message', [...FLOW, 'features/voice-message/index.ts'], ['idb']],
  ['the uploads of films and pictures', [...FLOW, 'app/media-upload-route.tsx'], []],
  ['the upload of documents', [...FLOW, 'features/document-upload/index.tsx'], []],
])('Loads few packages before %s: no client, no schemas (decisions 0203, 0204, 0305)', (_screen, files, others) => {
  expect(follow(files).packages).toEqual([...FEW, ...others].toSorted());
});

it('Loads nothing of a contribution and its posts before the lists of the desk (decision 0361)', () => {
  const { files } = follow(['features/desk/index.tsx']);
  expect(files.some((file) => file.endsWith('desk/inbox/inbox-row.tsx'))).toBe(true);
  expect(files.filter((file) => /desk\/(?:contribution|posts)\//.test(file))).toEqual([]);
});
