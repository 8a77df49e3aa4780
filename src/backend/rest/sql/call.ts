import { RestError } from '../errors.ts';
import type { Catalog, Parameter, Routine } from '../catalog/catalog.ts';
import { functionNotInCache } from '../catalog/hints.ts';
import { ident, qualified, type Params, type Source } from './fragments.ts';

/** The arguments of a call, by the form they came in. */
export type Arguments = Readonly<
  | { kind: 'query'; pairs: readonly (readonly [name: string, value: string])[] }
  | { kind: 'json'; json: string; list: boolean; keys: readonly string[] }
  | { kind: 'raw'; type: 'text' | 'xml' | 'bytea'; value: string | Buffer }
>;

export type Call = Readonly<{ routine: Routine; style: 'named' | 'unnamed' }>;

/** Chooses the function that takes these arguments. Throws PGRST202, PGRST203. */
export function chooseRoutine(catalog: Catalog, schema: string, name: string, args: Arguments): Call {
  const candidates = catalog.routines(schema, name);
  const keys = getKeys(args);
  const named = args.kind === 'raw' ? [] : candidates.filter((routine) => takes(routine, keys, args.kind));
  const unnamed = candidates.filter((routine) => takesWholeBody(routine, args));
  const found = named.length > 0 ? named : unnamed;
  const [only, ...others] = found;
  if (only === undefined) throw functionNotInCache(catalog, schema, name, keys, getBodyKind(args));
  if (others.length > 0) throw createAmbiguousError(found);
  return { routine: only, style: isUnnamed(only) ? 'unnamed' : 'named' };
}

function getKeys(args: Arguments): string[] {
  if (args.kind === 'raw') return [];
  return [...new Set(args.kind === 'json' ? args.keys : args.pairs.map(([key]) => key))];
}

function getBodyKind(args: Arguments): 'json' | 'text' | 'xml' | 'bytea' | 'none' {
  if (args.kind === 'query') return 'none';
  return args.kind === 'json' ? 'json' : args.type;
}

/** A JSON body names the one unnamed parameter with the empty key, and is passed whole even so, as upstream does. */
function takes(routine: Routine, keys: readonly string[], kind: Arguments['kind']): boolean {
  const { parameters } = routine;
  if (kind === 'query' && isUnnamed(routine)) return false;
  return (
    keys.every((key) => parameters.some((parameter) => parameter.name === key)) &&
    parameters.every((parameter) => !parameter.required || keys.includes(parameter.name))
  );
}

function isUnnamed({ parameters }: Routine): boolean {
  return parameters[0]?.name === '';
}

function takesWholeBody(routine: Routine, args: Arguments): boolean {
  const [only, ...others] = routine.parameters;
  if (only === undefined || others.length > 0 || only.name !== '' || args.kind === 'query') return false;
  return args.kind === 'json' ? only.type === 'json' || only.type === 'jsonb' : only.type === args.type;
}

function createAmbiguousError(found: readonly Routine[]): RestError {
  const shown = found.map((routine) => {
    const list = routine.parameters.map((parameter) => `${parameter.name} => ${parameter.type}`);
    return `${routine.schema}.${routine.name}(${list.join(', ')})`;
  });
  return new RestError(300, 'PGRST203', `Could not choose the best candidate function between: ${shown.join(', ')}`, {
    hint: 'Try renaming the parameters or the function itself in the database so function overloading can be resolved',
  });
}

/** Column under which single values come back. */
export const SCALAR = 'pgrst_scalar';

/** SELECT of everything the function returns. */
export function callSql(params: Params, call: Call, args: Arguments): string {
  const { routine } = call;
  const alias = routine.returns.kind === 'composite' ? 'as call' : `as call (${SCALAR})`;
  const name = qualified(routine);
  if (call.style === 'unnamed') {
    const type = routine.parameters[0]?.type ?? 'json';
    const value = args.kind === 'json' ? args.json : args.kind === 'raw' ? args.value : null;
    return `select call.* from ${name}(${params.add(value)}::${type}) ${alias}`;
  }
  if (args.kind === 'json') return callFromJsonSql(params, routine, args, name, alias);
  const pairs = args.kind === 'query' ? args.pairs : [];
  const given = routine.parameters.filter((parameter) => pairs.some(([key]) => key === parameter.name));
  const list = given.map((parameter) =>
    argumentSql(parameter, `${params.add(getQueryValue(parameter, pairs))}::${parameter.type}`),
  );
  return `select call.* from ${name}(${list.join(', ')}) ${alias}`;
}

function callFromJsonSql(
  params: Params,
  routine: Routine,
  args: Extract<Arguments, { kind: 'json' }>,
  name: string,
  alias: string,
): string {
  const given = routine.parameters.filter((parameter) => args.keys.includes(parameter.name));
  if (given.length === 0) return `select call.* from ${name}() ${alias}`;
  const typed = given.map((parameter) => `${ident(parameter.name)} ${parameter.type}`).join(', ');
  const list = given.map((parameter) => argumentSql(parameter, `body.${ident(parameter.name)}`)).join(', ');
  const json = `${params.add(args.json)}::json`;
  const body = args.list
    ? `(select * from json_to_recordset(${json}) as body (${typed}) limit 1) as body`
    : `json_to_record(${json}) as body (${typed})`;
  return `select call.* from ${body}
    cross join lateral ${name}(${list}) ${alias}`;
}

function argumentSql(parameter: Parameter, value: string): string {
  return `${parameter.variadic ? 'variadic ' : ''}${ident(parameter.name)} => ${value}`;
}

/** The last of several; a variadic parameter takes them all. */
function getQueryValue(parameter: Parameter, pairs: readonly (readonly [string, string])[]): string | string[] {
  const values = pairs.filter(([key]) => key === parameter.name).map(([, value]) => value);
  const last = values.at(-1) ?? '';
  if (!parameter.variadic) return last;
  return values.length === 1 && last.startsWith('{') ? last : values;
}

/** The columns that filters and select may name in a function's result. */
export function createResultSource(routine: Routine): Source {
  return { alias: routine.name, name: routine.name, columns: routine.returns.columns, computed: new Set() };
}
