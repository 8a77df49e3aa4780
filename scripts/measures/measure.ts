import { findDuplicates } from './duplicates.ts';
import { strayIgnores } from './format-ignores.ts';
import { importCycles, importGraph, singleImporterFiles } from './imports.ts';
import type { MeasureName } from './limits.ts';
import { fileSizes, functionSizes, spread, wideLines, type Size } from './sizes.ts';
import { countLines, isTest, type Source } from './source.ts';

/** A value, and the places to look at, worst first. */
export type Measure = Readonly<{ name: MeasureName; value: number; places: readonly string[] }>;

export function measureSources(sources: readonly Source[], aliases: Readonly<Record<string, string>>): Measure[] {
  const product = sources.filter(({ path }) => path.startsWith('src/') && !isTest(path));
  const rest = sources.filter((source) => !product.includes(source));
  return [
    ...measureSizes(product),
    ...measureImports(product, aliases),
    counted('lines over 120 columns, src', product.flatMap(wideLines)),
    counted('lines over 120 columns, tests, scripts', rest.flatMap(wideLines)),
    counted('format switched off but for tables', sources.flatMap(strayIgnores)),
    counted(
      'duplicates of six or more lines',
      findDuplicates(product).map(({ one, other }) => `${one} ~ ${other}`),
    ),
    ...measureTests(sources),
  ];
}

function measureSizes(product: readonly Source[]): Measure[] {
  const files = fileSizes(product);
  const named = product.map(functionSizes);
  const functions = named.flatMap((one) => one.functions);
  const components = named.flatMap((one) => one.components);
  const file = spread(files);
  return [
    { name: 'source files', value: files.length, places: [] },
    { name: 'source lines', value: files.reduce((sum, { lines }) => sum + lines, 0), places: [] },
    { name: 'file lines, p50', value: file.p50, places: [] },
    { name: 'file lines, p95', value: file.p95, places: [] },
    { name: 'file lines, max', value: file.max, places: largest(files) },
    { name: 'function lines, p50', value: spread(functions).p50, places: [] },
    { name: 'function lines, p95', value: spread(functions).p95, places: [] },
    { name: 'function lines, max', value: spread(functions).max, places: largest(functions) },
    { name: 'component lines, p50', value: spread(components).p50, places: [] },
    { name: 'component lines, p95', value: spread(components).p95, places: [] },
    { name: 'component lines, max', value: spread(components).max, places: largest(components) },
  ];
}

function measureImports(product: readonly Source[], aliases: Readonly<Record<string, string>>): Measure[] {
  const graph = importGraph(product, aliases);
  const single = singleImporterFiles(graph);
  return [
    counted(
      'import cycles, types included',
      importCycles(graph).map((files) => files.join(' ')),
    ),
    { name: 'files with one importer, %', value: Math.round((single.length / product.length) * 100), places: single },
  ];
}

/** The tests of a part of the backend stand beside it and in `tests/wire/<part>-*.test.ts`. */
function measureTests(sources: readonly Source[]): Measure[] {
  const ratio = (
    name: MeasureName,
    isSource: (path: string) => boolean,
    isItsTest: (path: string) => boolean,
  ): Measure => {
    const lines = (accepts: (path: string) => boolean): number =>
      sources.reduce((sum, { path, text }) => sum + (accepts(path) ? countLines(text) : 0), 0);
    return { name, value: Math.round((lines(isItsTest) / lines(isSource)) * 100) / 100, places: [] };
  };
  const part = (one: 'rest' | 'storage' | 'auth'): Measure =>
    ratio(
      `test lines to source lines, ${one}`,
      (path) => path.startsWith(`src/backend/${one}/`) && !isTest(path),
      (path) => isTest(path) && (path.startsWith(`src/backend/${one}/`) || path.startsWith(`tests/wire/${one}-`)),
    );
  return [
    ratio(
      'test lines to source lines, all',
      (path) => path.startsWith('src/') && !isTest(path),
      (path) => path.startsWith('tests/') || (path.startsWith('src/') && isTest(path)),
    ),
    part('rest'),
    part('storage'),
    part('auth'),
  ];
}

function counted(name: MeasureName, places: readonly string[]): Measure {
  return { name, value: places.length, places };
}

function largest(sizes: readonly Size[]): string[] {
  return sizes.toSorted((one, other) => other.lines - one.lines).map(({ place, lines }) => `${lines} ${place}`);
}
