import type { onSendAsyncHookHandler } from 'fastify';
import type { Relation } from './catalog/catalog.ts';
import type { RestDeps } from './service.ts';

/** Every OPTIONS is answered as a preflight further out; a plain one learns here what the resource takes. */
export function allowedMethods(deps: RestDeps): onSendAsyncHookHandler {
  return async (request, reply, payload) => {
    if (request.method !== 'OPTIONS' || request.headers['access-control-request-method'] !== undefined) return payload;
    const allow = await methodsOf(deps, request.routeOptions.url ?? '', request.params);
    if (allow === undefined) return payload;
    void reply.code(200).header('Allow', allow).removeHeader('Content-Length');
    return '';
  };
}

async function methodsOf(deps: RestDeps, route: string, params: unknown): Promise<string | undefined> {
  const name = typeof params === 'object' && params !== null && 'name' in params ? String(params.name) : undefined;
  if (name === undefined) return 'OPTIONS,GET,HEAD';
  const schema = deps.api.schemas[0] ?? 'public';
  const catalog = await deps.catalog.current();
  if (route.endsWith('/rpc/:name')) {
    const volatile = catalog.routines(schema, name).some((routine) => routine.volatile);
    return volatile ? 'OPTIONS,POST' : 'OPTIONS,GET,HEAD,POST';
  }
  const relation = catalog.relation(schema, name);
  return relation === undefined ? undefined : relationMethods(relation);
}

function relationMethods(relation: Relation): string {
  const { accepts, primaryKey } = relation;
  return [
    'OPTIONS,GET,HEAD',
    ...(accepts.insert ? ['POST'] : []),
    ...(accepts.insert && accepts.update && primaryKey.length > 0 ? ['PUT'] : []),
    ...(accepts.update ? ['PATCH'] : []),
    ...(accepts.delete ? ['DELETE'] : []),
  ].join(',');
}
