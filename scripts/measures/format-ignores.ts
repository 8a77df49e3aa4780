import { isNode, visitNodes, type Range, type Source, type SyntaxNode } from './source.ts';

const FEWEST_LINES = 3;
const STATEMENTS = /Statement$/;

/** `path:line` of each comment that switches the formatter off elsewhere than before a table of data. */
export function strayIgnores(source: Source): string[] {
  return formatIgnores(source)
    .filter(({ table }) => table === undefined)
    .map(({ place }) => place);
}

export type FormatIgnore = Readonly<{ place: string; comment: Range; table: SyntaxNode | undefined }>;

/** Each comment that switches the formatter off, with the table of data in the node that follows it. */
export function formatIgnores(source: Source): FormatIgnore[] {
  const ignores = source.comments.filter(({ value }) => /^\s*(?:prettier|oxfmt)-ignore\b/.test(value));
  if (ignores.length === 0) return [];
  const nodes: SyntaxNode[] = [];
  visitNodes(source.program, (node) => void nodes.push(node));
  return ignores.map((comment) => {
    const start = comment.end + (/^\s*/.exec(source.text.slice(comment.end))?.[0].length ?? 0);
    const following = nodes.find((node) => node.start === start);
    const line = source.text.slice(0, comment.start).split('\n').length;
    const place = `${source.path}:${line}`;
    return { place, comment, table: following === undefined ? undefined : findTable(following, source.text) };
  });
}

/** The first list or object of three lines or more that holds no statements and stands in no function's body. */
export function findTable(node: SyntaxNode, text: string): SyntaxNode | undefined {
  const blocks: SyntaxNode[] = [];
  const tables: SyntaxNode[] = [];
  visitNodes(node, (one) => {
    if (one.type === 'BlockStatement') blocks.push(one);
    if (isTable(one, text)) tables.push(one);
  });
  return tables.find((table) => !blocks.some((block) => block.start < table.start && table.end < block.end));
}

function isTable(node: SyntaxNode, text: string): boolean {
  if (node.type !== 'ArrayExpression' && node.type !== 'ObjectExpression') return false;
  if (text.slice(node.start, node.end).split('\n').length < FEWEST_LINES) return false;
  let isData = true;
  visitNodes(node, (one) => {
    if (isNode(one) && STATEMENTS.test(one.type)) isData = false;
  });
  return isData;
}
