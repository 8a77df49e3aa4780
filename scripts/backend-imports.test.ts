import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { importGraph } from './measures/imports.ts';
import { isTest, readSources } from './measures/source.ts';

const { imports } = z
  .object({ imports: z.record(z.string(), z.string()) })
  .parse(JSON.parse(readFileSync('package.json', 'utf8')));
const graph = importGraph(readSources(['src']), imports);

function collectReachable(files: readonly string[], found = new Set<string>()): ReadonlySet<string> {
  for (const file of files) {
    if (found.has(file)) continue;
    found.add(file);
    collectReachable([...(graph.get(file) ?? [])], found);
  }
  return found;
}

test('The backend reaches only src/backend, src/http and src/lib', () => {
  const backend = [...graph.keys()].filter((file) => file.startsWith('src/backend/') && !isTest(file));
  const reached = collectReachable(backend);
  expect(reached.size).toBeGreaterThan(backend.length);
  expect([...reached].filter((file) => !/^src\/(?:backend|http|lib)\//.test(file))).toEqual([]);
});
