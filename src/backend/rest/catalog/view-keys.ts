/** A view and the rule that PostgreSQL reads it by, as text of its node tree. */
export type ViewRule = Readonly<{ oid: number; schema: string; name: string; rule: string }>;

/** The numbers of a primary key's columns, in the order of the key. */
export type TableKey = Readonly<{ oid: number; columns: readonly number[] }>;

/** The column of a relation that a column of a view shows as it is. */
type Origin = Readonly<{ oid: number; column: number }>;

/**
 * The numbers of the columns that are a view's primary key, by its oid: those that show every column of a primary key
 * of a table below, through other views too. A view that shows several whole keys has them all, as upstream has it.
 */
export function findViewKeys(views: readonly ViewRule[], keys: readonly TableKey[]): ReadonlyMap<number, number[]> {
  const origins = new Map(views.map((view) => [view.oid, readOrigins(view.rule)]));
  const traced = views.map((view) => {
    const columns = [...(origins.get(view.oid) ?? [])].map(([at, origin]) => [at, trace(origins, origin)] as const);
    return [view.oid, columns] as const;
  });
  return new Map(traced.map(([oid, columns]) => [oid, keys.flatMap((key) => findKey(columns, key) ?? [])]));
}

function findKey(columns: readonly (readonly [at: number, origin: Origin])[], key: TableKey): number[] | undefined {
  const found = key.columns.map(
    (number) => columns.find(([, { oid, column }]) => oid === key.oid && column === number)?.[0],
  );
  return found.every((at) => at !== undefined) ? found : undefined;
}

/** Follows a column through views. PostgreSQL lets no view read from itself, but a rule may be replaced. */
function trace(origins: ReadonlyMap<number, ReadonlyMap<number, Origin>>, origin: Origin): Origin {
  let at = origin;
  for (let step = 0; step < origins.size; step += 1) {
    const below = origins.get(at.oid)?.get(at.column);
    if (below === undefined) return at;
    at = below;
  }
  return at;
}

const ENTRY = /^TARGETENTRY .*:resno (\d+) .*:resorigtbl (\d+) :resorigcol (\d+) :resjunk false/s;

/** `({QUERY … :targetList ({TARGETENTRY … :resno 1 … :resorigtbl 16384 :resorigcol 1 …} …) …})`, by `resno`. */
function readOrigins(rule: string): ReadonlyMap<number, Origin> {
  const entries = listNodes(rule).flatMap((node): [number, Origin][] => {
    const [, at, oid, column] = ENTRY.exec(node) ?? [];
    return at === undefined || oid === '0' ? [] : [[Number(at), { oid: Number(oid), column: Number(column) }]];
  });
  return new Map(entries);
}

// The rule is a list of one query, whose fields are lists of nodes.
const OWN_NODES = 4;

/** The nodes in the lists of the query itself, each without the nodes inside it. */
function listNodes(rule: string): string[] {
  const nodes: string[] = [];
  let node = '';
  let depth = 0;
  let from = 0;
  // A bracket in a name comes after a backslash.
  for (const { 0: token, index } of rule.matchAll(/\\.|[{}()]/gs)) {
    if (token.startsWith('\\')) continue;
    if (depth === OWN_NODES) node += rule.slice(from, index);
    depth += token === '{' || token === '(' ? 1 : -1;
    from = index + 1;
    if (depth === OWN_NODES - 1 && node !== '') {
      nodes.push(node);
      node = '';
    }
  }
  return nodes;
}
