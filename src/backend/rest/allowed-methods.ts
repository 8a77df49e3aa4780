import type { onSendAsyncHookHandler } from 'fastify';
import type { Relation } from './catalog/catalog.ts';
import type { RestDeps } from './request.ts';

/** Adds the methods of the resource to a plain OPTIONS, which the CORS plugin answered as a preflight. */
export function addAllowedMethods(deps: RestDeps): onSendAsyncHookHandler {
  return async (request, reply, payload) => {
    if (request.method !== 'OPTIONS' || request.headers['access-control-request-method'] !== undefined) return payload;
    const allow = await findMethods(deps, request.routeOptions.url ?? '', request.params);
    if (allow === undefined) return payload;
    void reply.code(200).header('Allow', allow).removeHeader('Content-Length');
    return '';
  };
}

async function findMethods(deps: RestDeps, route: string, params: unknown): Promise<string | undefined> {
  const name = typeof params === 'object' && params !== null && 'name' in params ? String(params.name) : undefined;
  if (name === undefined) return 'OPTIONS,GET,HEAD';
  const schema = deps.api.schemas[0] ?? 'public';
  const catalog = await deps.catalog.current();
  if (route.endsWith('/rpc/:name')) {
    const volatile = catalog.routines(schema, name).some((routine) => routine.volatile);
    return volatile ? 'OPTIONS,POST' : 'OPTIONS,GET,HEAD,POST';
  }
  const relation = catalog.relation(schema, name);
  return relation === undefined ? undefined : listRelationMethods(relation);
}

function listRelationMethods(relation: Relation): string {
  const { accepts, primaryKey } = relation;
  return [
    'OPTIONS,GET,HEAD',
    ...(accepts.insert ? ['POST'] : []),
    ...(accepts.insert && accepts.update && primaryKey.length > 0 ? ['PUT'] : []),
    ...(accepts.update ? ['PATCH'] : []),
    ...(accepts.delete ? ['DELETE'] : []),
  ].join(',');
}
