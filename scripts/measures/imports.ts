import path from 'node:path';
import type { Source } from './source.ts';

/** Each file with the files it imports, types and late imports included. */
export type ImportGraph = ReadonlyMap<string, ReadonlySet<string>>;

/** `aliases` is `imports` of package.json: `{ '#web/*': './src/web/*' }`. */
export function importGraph(sources: readonly Source[], aliases: Readonly<Record<string, string>>): ImportGraph {
  const known = new Set(sources.map((source) => source.path));
  return new Map(
    sources.map((source) => {
      const targets = source.imports.map(({ specifier }) => resolveImport(source.path, specifier, aliases));
      return [source.path, new Set(targets.filter((target) => known.has(target)))];
    }),
  );
}

function resolveImport(importer: string, specifier: string, aliases: Readonly<Record<string, string>>): string {
  if (specifier.startsWith('.')) return path.posix.join(path.posix.dirname(importer), specifier);
  for (const [alias, target] of Object.entries(aliases)) {
    const prefix = alias.replace('*', '');
    if (specifier.startsWith(prefix)) return path.posix.normalize(target.replace('*', specifier.slice(prefix.length)));
  }
  return specifier;
}

/** The groups of files that reach each other (Tarjan's strongly connected components). */
export function importCycles(graph: ImportGraph): string[][] {
  const order = new Map<string, number>();
  const low = new Map<string, number>();
  const stack: string[] = [];
  const cycles: string[][] = [];
  const visit = (file: string): number => {
    order.set(file, order.size);
    let lowest = order.get(file) ?? 0;
    low.set(file, lowest);
    stack.push(file);
    for (const target of graph.get(file) ?? []) {
      if (!order.has(target)) lowest = Math.min(lowest, visit(target));
      else if (stack.includes(target)) lowest = Math.min(lowest, order.get(target) ?? 0);
    }
    low.set(file, lowest);
    if (lowest !== order.get(file)) return lowest;
    const group = stack.splice(stack.indexOf(file));
    if (group.length > 1 || graph.get(file)?.has(file) === true) cycles.push(group.toSorted());
    return lowest;
  };
  for (const file of graph.keys()) if (!order.has(file)) visit(file);
  return cycles;
}

/** The files that exactly one other file imports. */
export function singleImporterFiles(graph: ImportGraph): string[] {
  const importers = new Map<string, number>();
  for (const [file, targets] of graph) {
    for (const target of targets) if (target !== file) importers.set(target, (importers.get(target) ?? 0) + 1);
  }
  return [...importers].filter(([, count]) => count === 1).map(([file]) => file);
}
