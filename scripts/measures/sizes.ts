import { countLines, isNode, visitNodes, type Source, type SyntaxNode } from './source.ts';

/** The lines of one file, function or component. */
export type Size = Readonly<{ place: string; lines: number }>;

export type Spread = Readonly<{ p50: number; p95: number; max: number }>;

const FUNCTIONS = new Set(['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression']);
const COLUMNS = 120;

export function spread(sizes: readonly Size[]): Spread {
  const sorted = sizes.map(({ lines }) => lines).toSorted((one, other) => one - other);
  const at = (share: number): number => sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0;
  return { p50: at(0.5), p95: at(0.95), max: at(1) };
}

export function fileSizes(sources: readonly Source[]): Size[] {
  return sources.map(({ path, text }) => ({ place: path, lines: countLines(text) }));
}

/** The named functions of a file, from their first line to their last; a component has a capital in a `.tsx` file. */
export function functionSizes({ path, text, program }: Source): { functions: Size[]; components: Size[] } {
  const functions: Size[] = [];
  const components: Size[] = [];
  visitNodes(program, (node, parent) => {
    if (!FUNCTIONS.has(node.type) || !isNode(node['body'])) return;
    const name = functionName(node, parent);
    if (name === undefined) return;
    const size = { place: `${path} ${name}`, lines: countLines(text.slice(node.start, node.end)) };
    (path.endsWith('.tsx') && /^[A-Z]/.test(name) ? components : functions).push(size);
  });
  return { functions, components };
}

/** The name a function is declared under, or the variable, property or method that holds it. */
function functionName(node: SyntaxNode, parent: SyntaxNode | undefined): string | undefined {
  const holder = [node['id'], parent?.type === 'VariableDeclarator' ? parent['id'] : parent?.['key']].find(isNode);
  return holder !== undefined && typeof holder['name'] === 'string' ? holder['name'] : undefined;
}

const TEXTS = new Set(['Literal', 'TemplateElement', 'JSXText']);
const ADDRESS = /https?:\/\/\S+/g;

/**
 * `path:line` of each line wider than the formatter's limit. What stands in a string, a template, a regular expression
 * or a web address does not count: only a whole one can be found again.
 */
export function wideLines({ path, text, program }: Source): string[] {
  const lines = text.split('\n');
  const wide = lines.flatMap((line, index) => (line.length > COLUMNS ? [index] : []));
  if (wide.length === 0) return [];
  const starts = lines.reduce<number[]>((all, line) => [...all, (all.at(-1) ?? 0) + line.length + 1], [0]);
  const texts = listTexts(program);
  return wide.flatMap((index) => {
    const [start, end] = [starts[index] ?? 0, (starts[index + 1] ?? 0) - 1];
    const inTexts = texts.map((one) => Math.min(one.end, end) - Math.max(one.start, start));
    const addresses = [...(lines[index] ?? '').matchAll(ADDRESS)].map(([address]) => address.length);
    const inside = inTexts.some((length) => length > 0) ? inTexts : addresses;
    const columns = inside.reduce((left, length) => left - Math.max(0, length), end - start);
    return columns > COLUMNS ? [`${path}:${index + 1}`] : [];
  });
}

function listTexts(program: Source['program']): SyntaxNode[] {
  const texts: SyntaxNode[] = [];
  visitNodes(program, (node) => {
    if (TEXTS.has(node.type)) texts.push(node);
  });
  return texts;
}
