/** A place in a source where a mutation puts something else. */
export type Site = Readonly<{ start: number; end: number; replacement: string; what: string }>;

type Token = Readonly<{ text: string; start: number; end: number; depth: number }>;

const TOKEN = /--[^\n]*|\/\*[\s\S]*?\*\/|(\$\w*\$)[\s\S]*?\1|'(?:[^']|'')*'|"[^"]*"|[A-Za-z_][\w$]*|[();,]/g;

/** Words, parentheses and separators; what stands in strings and comments is no token. */
function tokenize(source: string): Token[] {
  const tokens: Token[] = [];
  let depth = 0;
  for (const match of source.matchAll(TOKEN)) {
    const text = match[0].toLowerCase();
    if (/^['"$]|^--|^\/\*/.test(text)) continue;
    if (text === ')') depth -= 1;
    tokens.push({ text, start: match.index, end: match.index + match[0].length, depth });
    if (text === '(') depth += 1;
  }
  return tokens;
}

/** Ends an operand of `where`, `on` or `and` at the same depth. */
const ENDS = new Set(
  'and or then group order limit returning union for window having loop offset into else end when set left right inner cross join on where ; , from select'.split(
    ' ',
  ),
);

/**
 * Index of the token that ends the operand which begins behind the token at `from`; the number of tokens where none
 * does.
 */
function endOfOperand(tokens: readonly Token[], from: number, depth: number): number {
  let pendingBetween = 0;
  let openCases = 0;
  for (let at = from + 1; at < tokens.length; at += 1) {
    const { text, depth: here } = tokens[at] ?? { text: '', depth: 0 };
    if (here < depth) return at;
    if (here > depth) continue;
    if (text === ')') continue;
    if (text === 'case') openCases += 1;
    else if (openCases > 0) openCases -= text === 'end' ? 1 : 0;
    else if (text === 'between') pendingBetween += 1;
    else if (text === 'and' && pendingBetween > 0) pendingBetween -= 1;
    // `is distinct from`
    else if (text === 'from' && tokens[at - 1]?.text === 'distinct') continue;
    else if (ENDS.has(text)) return at;
  }
  return tokens.length;
}

/** `a or b` is one condition: it ends where its last alternative ends. */
function endOfCondition(tokens: readonly Token[], from: number, depth: number): number {
  let end = endOfOperand(tokens, from, depth);
  if (!hasAlternative(tokens, from, depth)) return end;
  while (tokens[end]?.depth === depth && /^(and|or)$/.test(tokens[end]?.text ?? '')) {
    end = endOfOperand(tokens, end, depth);
  }
  return end;
}

function hasAlternative(tokens: readonly Token[], from: number, depth: number): boolean {
  let end = endOfOperand(tokens, from, depth);
  while (tokens[end]?.depth === depth && tokens[end]?.text === 'and') end = endOfOperand(tokens, end, depth);
  return tokens[end]?.depth === depth && tokens[end]?.text === 'or';
}

function cut(source: string, start: number, end: number, replacement: string): Site | undefined {
  const text = source.slice(start, end);
  const lead = text.length - text.trimStart().length;
  const trimmed = text.trim();
  if (trimmed === '' || /^(true|false)$/i.test(trimmed)) return undefined;
  return {
    start: start + lead,
    end: start + lead + trimmed.length,
    replacement,
    what: trimmed.replaceAll(/\s+/g, ' '),
  };
}

/** Every condition of a `where`, an `on`, an `and` or of parentheses with an `and`: true instead. */
function conditions(source: string, tokens: readonly Token[]): Site[] {
  const found = tokens.flatMap((token, at) => {
    const opens = token.text === '(' && holdsConjunction(tokens, at);
    const between = token.text === 'and' && belongsToBetween(tokens, at);
    if (!opens && (between || !/^(where|and|on|having)$/.test(token.text))) return [];
    if (token.text === 'on' && /^(conflict|constraint)$/.test(tokens[at + 1]?.text ?? '')) return [];
    const depth = opens ? token.depth + 1 : token.depth;
    const whole = /^(where|on|having)$/.test(token.text);
    const end = whole ? endOfCondition(tokens, at, depth) : endOfOperand(tokens, at, depth);
    return cut(source, token.end, tokens[end]?.start ?? source.length, 'true') ?? [];
  });
  return found;
}

function belongsToBetween(tokens: readonly Token[], at: number): boolean {
  const depth = tokens[at]?.depth;
  for (let before = at - 1; before >= 0; before -= 1) {
    const token = tokens[before];
    if (token === undefined || token.depth < (depth ?? 0)) return false;
    if (token.depth > (depth ?? 0)) continue;
    if (token.text === 'between') return true;
    if (ENDS.has(token.text)) return false;
  }
  return false;
}

function holdsConjunction(tokens: readonly Token[], at: number): boolean {
  const depth = (tokens[at]?.depth ?? 0) + 1;
  const end = endOfOperand(tokens, at, depth);
  return tokens[end]?.text === 'and' && tokens[end]?.depth === depth;
}

/** Every `if` that refuses or leaves: false instead. */
function refusals(source: string, tokens: readonly Token[]): Site[] {
  return tokens.flatMap((token, at) => {
    if (!/^(if|elsif)$/.test(token.text) || tokens[at - 1]?.text === 'end') return [];
    const then = tokens.findIndex((later, place) => place > at && later.text === 'then' && later.depth === token.depth);
    if (then < 0 || !/^(raise|return|perform)$/.test(tokens[then + 1]?.text ?? '')) return [];
    return cut(source, token.end, tokens[then]?.start ?? source.length, 'false') ?? [];
  });
}

/** Every `when` of a case that asks a condition: true and false instead. */
function alternatives(source: string, tokens: readonly Token[]): Site[] {
  return tokens.flatMap((token, at) => {
    if (token.text !== 'when' || !belongsToSearchedCase(tokens, at)) return [];
    const then = tokens.find((later, place) => place > at && later.text === 'then' && later.depth === token.depth);
    const end = then?.start ?? source.length;
    return ['true', 'false'].flatMap((replacement) => cut(source, token.end, end, replacement) ?? []);
  });
}

/** Not to `case x when 1`, nor to `exception when others`. */
function belongsToSearchedCase(tokens: readonly Token[], at: number): boolean {
  const depth = tokens[at]?.depth ?? 0;
  let pending = 0;
  for (let before = at - 1; before >= 0; before -= 1) {
    const { text, depth: here } = tokens[before] ?? { text: ';', depth };
    if (here < depth || (here === depth && text === ';')) return false;
    if (here > depth) continue;
    if (text === 'end') pending += 1;
    if (text === 'case' && pending > 0) pending -= 1;
    else if (text === 'case') return tokens[before + 1]?.text === 'when';
  }
  return false;
}

/** What stands instead of a call; several where it could fail in two ways. */
export type Substitutes = ReadonlyMap<string, readonly string[]>;

function calls(source: string, tokens: readonly Token[], substitutes: Substitutes): Site[] {
  return tokens.flatMap((token, at) => {
    if (tokens[at + 1]?.text !== '(' || source[token.start - 1] !== '.') return [];
    const schema = tokens[at - 1];
    if (schema === undefined) return [];
    const end = tokens.find((later, place) => place > at + 1 && later.text === ')' && later.depth === token.depth);
    const name = source.slice(schema.start, token.end);
    return (substitutes.get(name.toLowerCase()) ?? []).flatMap(
      (replacement) => cut(source, schema.start, end?.end ?? token.end, replacement) ?? [],
    );
  });
}

/** All places of a function's source or of an expression, without those that are the same. */
export function findSites(source: string, substitutes: Substitutes): Site[] {
  const tokens = tokenize(source);
  const all = [
    ...calls(source, tokens, substitutes),
    ...refusals(source, tokens),
    ...conditions(source, tokens),
    ...alternatives(source, tokens),
  ];
  const unique = new Map(all.map((site) => [`${site.start} ${site.end} ${site.replacement}`, site]));
  return [...unique.values()].toSorted((a, b) => a.start - b.start);
}

export function replaceAt(source: string, { start, end, replacement }: Site): string {
  return source.slice(0, start) + replacement + source.slice(end);
}
