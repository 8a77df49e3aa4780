import { RestError } from '../errors.ts';
import type { Catalog, Relation } from './catalog.ts';

const MIN_LIKENESS = 0.75;
const MAX_NAME = 63;

/** Finds the candidate that resembles `name` most, where it does so enough for a hint. */
export function findNearest(
  name: string,
  candidates: Iterable<string>,
  minLikeness = MIN_LIKENESS,
): string | undefined {
  if (name.length > 2 * MAX_NAME) return undefined;
  let best: { candidate: string; likeness: number } | undefined;
  for (const candidate of candidates) {
    const likeness =
      1 - measureDistance(name.toLowerCase(), candidate.toLowerCase()) / Math.max(name.length, candidate.length);
    if (likeness >= minLikeness && likeness > (best?.likeness ?? 0)) best = { candidate, likeness };
  }
  return best?.candidate;
}

/** Levenshtein. */
function measureDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      row.push(Math.min((previous[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (previous[j - 1] ?? 0) + cost));
    }
    previous = row;
  }
  return previous[b.length] ?? 0;
}

export function tableNotInCache(catalog: Catalog, schema: string, name: string): RestError {
  const meant = findNearest(
    name,
    catalog.relations(schema).map((relation) => relation.name),
  );
  return new RestError(404, 'PGRST205', `Could not find the table '${schema}.${name}' in the schema cache`, {
    hint: meant === undefined ? undefined : `Perhaps you meant the table '${schema}.${meant}'`,
  });
}

/** PGRST202. `json`: the call came as a JSON body, so a single unnamed json parameter was looked for as well. */
export function functionNotInCache(
  catalog: Catalog,
  schema: string,
  name: string,
  keys: readonly string[],
  body: 'json' | 'text' | 'xml' | 'bytea' | 'none',
): RestError {
  const full = `${schema}.${name}`;
  const list = keys.join(', ');
  const unnamed = body === 'text' || body === 'xml' || body === 'bytea';
  const shown = keys.length === 0 ? ' without parameters' : `(${list})`;
  const searched = keys.length === 0 ? ' without parameters' : ` with parameter${keys.length > 1 ? 's' : ''} ${list}`;
  const how = unnamed
    ? ` with a single unnamed ${body} parameter`
    : `${searched}${body === 'json' ? ' or with a single unnamed json/jsonb parameter' : ''}`;
  return new RestError(
    404,
    'PGRST202',
    `Could not find the function ${full}${unnamed ? '' : shown} in the schema cache`,
    {
      details: `Searched for the function ${full}${how}, but no matches were found in the schema cache.`,
      hint: unnamed ? undefined : findFunctionHint(catalog, schema, name, keys),
    },
  );
}

function findFunctionHint(catalog: Catalog, schema: string, name: string, keys: readonly string[]): string | undefined {
  const sameName = catalog.routines(schema, name);
  const words = (names: readonly string[]): string => `(${names.toSorted().join(', ')})`;
  const meant =
    sameName.length === 0
      ? findNearest(name, catalog.routineNames(schema))
      : findLikeliest(
          words(keys),
          sameName.map((routine) => words(routine.parameters.map((parameter) => parameter.name))),
        );
  if (meant === undefined) return undefined;
  return `Perhaps you meant to call the function ${schema}.${sameName.length === 0 ? meant : name + meant}`;
}

/** Shows the best of few candidates even where it resembles little, because arguments are no secret. */
function findLikeliest(wanted: string, candidates: readonly string[]): string | undefined {
  const scored = candidates.map((candidate) => ({
    candidate,
    likeness: 1 - measureDistance(wanted.slice(0, 500), candidate) / Math.max(wanted.length, candidate.length),
  }));
  const best = scored.toSorted((a, b) => b.likeness - a.likeness)[0];
  return best !== undefined && best.likeness >= 0.33 ? best.candidate : undefined;
}

/** For PGRST200: the relation that was probably meant. `targets`: those that the parent is related to. */
export function findRelationshipHint(
  catalog: Catalog,
  parent: Relation,
  child: string,
  targets: readonly string[],
): string | undefined {
  const related = catalog.relations(parent.schema).filter((relation) => catalog.foreignKeys(relation).length > 0);
  const [wrong, candidates] =
    targets.length > 0 ? [child, targets] : [parent.name, related.map((relation) => relation.name)];
  const meant = findAlike(wrong, candidates);
  return meant === undefined ? undefined : `Perhaps you meant '${meant}' instead of '${wrong}'.`;
}

const LOOSE_LIKENESS = 0.33;

/** Candidates that share three letters with the name go before those that share two; none where the name is one. */
function findAlike(name: string, candidates: readonly string[]): string | undefined {
  const wanted = name.toLowerCase();
  if (name.length > 2 * MAX_NAME || candidates.some((one) => one.toLowerCase() === wanted)) return undefined;
  for (const size of [3, 2]) {
    const parts = listParts(wanted, size);
    const alike = candidates.filter((candidate) => listParts(candidate, size).some((part) => parts.includes(part)));
    const nearest = findNearest(wanted, alike, LOOSE_LIKENESS);
    if (nearest !== undefined) return nearest;
  }
  return undefined;
}

/** The start and the end of a name count as a letter. */
function listParts(name: string, size: number): string[] {
  const text = `-${name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '')}-`;
  return Array.from({ length: Math.max(0, text.length - size + 1) }, (_, at) => text.slice(at, at + size));
}
