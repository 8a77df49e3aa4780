export type Column = Readonly<{
  name: string;
  /** As SQL writes it, schema and modifiers included. */
  type: string;
  /** json or jsonb: paths apply without a conversion. */
  json: boolean;
  /** SQL of the default, where there is one. */
  fallback: string | null;
}>;

export type Relation = Readonly<{
  schema: string;
  name: string;
  kind: 'table' | 'view';
  columns: ReadonlyMap<string, Column>;
  /** Functions of one row that are selected like columns. */
  computed: ReadonlySet<string>;
  /** Of a view: the columns that show a table's whole key, though its rows need not be unique by them. */
  primaryKey: readonly string[];
  accepts: Readonly<{ insert: boolean; update: boolean; delete: boolean }>;
}>;

export type ForeignKey = Readonly<{
  name: string;
  from: Readonly<{ schema: string; name: string; columns: readonly string[] }>;
  to: Readonly<{ schema: string; name: string; columns: readonly string[] }>;
  /** The referring columns are unique: at most one row refers to each. */
  unique: boolean;
}>;

export function isEnd(end: ForeignKey['from'], relation: Relation): boolean {
  return end.schema === relation.schema && end.name === relation.name;
}

export type Parameter = Readonly<{ name: string; type: string; required: boolean; variadic: boolean }>;

export type Routine = Readonly<{
  schema: string;
  name: string;
  parameters: readonly Parameter[];
  volatile: boolean;
  returns: Readonly<{
    kind: 'void' | 'scalar' | 'composite';
    set: boolean;
    /** Columns of a composite result, in order. */
    columns: ReadonlyMap<string, Column>;
    /** The relation whose rows are returned, where it is one. */
    relation: Readonly<{ schema: string; name: string }> | undefined;
  }>;
}>;

/** Everything that requests may name. Every identifier in generated SQL comes from here. */
export type Catalog = Readonly<{
  relation: (schema: string, name: string) => Relation | undefined;
  relations: (schema: string) => readonly Relation[];
  routines: (schema: string, name: string) => readonly Routine[];
  routineNames: (schema: string) => readonly string[];
  /** Foreign keys that touch a relation, from either side. */
  foreignKeys: (relation: Relation) => readonly ForeignKey[];
  /** SQL of a type a caller may cast to. */
  type: (name: string) => string | undefined;
}>;
