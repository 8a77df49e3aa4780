import type { Logic, Operation } from './grammar/filters.ts';
import type { RestRequest } from './service.ts';

const FEW_FILTERS = 20;
const SMALL_BODY = 256 * 1024;
const PATTERNS: ReadonlySet<string> = new Set(['like', 'ilike', '~', '~*']);

/**
 * Whether a request may keep the database busy for long, whatever it answers: it searches texts, has many filters, or
 * brings a large body.
 */
export function mayTakeLong({ query, body }: Pick<RestRequest, 'query' | 'body'>): boolean {
  if (body.length > SMALL_BODY) return true;
  const operations = query.conditions.flatMap(({ value }) => operationsIn(value));
  return operations.length > FEW_FILTERS || operations.some(searchesText);
}

function operationsIn(logic: Logic): readonly Operation[] {
  return logic.kind === 'filter' ? [logic.filter.operation] : logic.members.flatMap(operationsIn);
}

function searchesText(operation: Operation): boolean {
  return operation.kind === 'search' || (operation.kind === 'compare' && PATTERNS.has(operation.operator));
}
