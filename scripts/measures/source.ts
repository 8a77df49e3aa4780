import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { parseSync, type ESTree } from 'vite';

/** A parsed TypeScript file. `path` is relative to the repository and uses `/`. */
export type Source = Readonly<{
  path: string;
  text: string;
  program: ESTree.Program;
  comments: readonly Range[];
  imports: readonly Import[];
}>;

export type Range = Readonly<{ start: number; end: number; value: string }>;

/** `start` and `end` enclose the whole statement. */
export type Import = Readonly<{ start: number; end: number; specifier: string }>;

/** Reads the TypeScript files that git tracks, and the new ones it does not ignore. */
export function readSources(folders: readonly string[]): Source[] {
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '--', ...folders], {
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  const files = listed.split('\n').filter((file) => /\.tsx?$/.test(file) && existsSync(file));
  return files.map((file) => parseSource(file, readFileSync(file, 'utf8')));
}

/** Throws where the text is not valid TypeScript. */
export function parseSource(file: string, text: string): Source {
  const lang = file.endsWith('.tsx') ? 'tsx' : 'ts';
  const { program, module, comments, errors } = parseSync(file, text, { lang });
  const [error] = errors;
  if (error !== undefined) throw new Error(`${file}: ${error.message}`);
  const first = module.staticImports.map(({ start, end, moduleRequest }) => {
    return { start, end, specifier: moduleRequest.value };
  });
  const again = module.staticExports.flatMap(({ entries }) =>
    entries.flatMap(({ start, end, moduleRequest }) =>
      moduleRequest === null ? [] : [{ start, end, specifier: moduleRequest.value }],
    ),
  );
  return { path: file, text, program, comments, imports: [...first, ...again, ...findLateImports(program)] };
}

/** `import('…')` in code and in types. */
function findLateImports(program: ESTree.Program): Import[] {
  const found: Import[] = [];
  visitNodes(program, ({ type, start, end, source }) => {
    if (type !== 'ImportExpression' && type !== 'TSImportType') return;
    if (isNode(source) && typeof source['value'] === 'string') found.push({ start, end, specifier: source['value'] });
  });
  return found;
}

export function isTest(file: string): boolean {
  return /\.test\.tsx?$/.test(file);
}

/** A node of the syntax tree, as far as the measures look at one. */
export type SyntaxNode = Readonly<{ type: string; start: number; end: number } & Record<string, unknown>>;

/** Visits each node below `value`, parents first. */
export function visitNodes(value: unknown, visit: (node: SyntaxNode, parent?: SyntaxNode) => void): void {
  const walk = (one: unknown, parent?: SyntaxNode): void => {
    if (Array.isArray(one)) for (const each of one) walk(each, parent);
    if (!isNode(one)) return;
    visit(one, parent);
    for (const child of Object.values(one)) if (typeof child === 'object') walk(child, one);
  };
  walk(value);
}

export function isNode(value: unknown): value is SyntaxNode {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value && 'end' in value;
}

export function countLines(text: string): number {
  return text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
}
