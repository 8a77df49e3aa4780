import type { onSendAsyncHookHandler } from 'fastify';
import type { Relation } from './catalog/catalog.ts';
import type { Answer, RestDeps, RestRequest } from './request.ts';

/** GET /: names and types of the exposed schema as OpenAPI 2, for the service key only. */
export async function describeSchema(deps: RestDeps, request: RestRequest): Promise<Answer> {
  const catalog = await deps.catalog.current();
  const visible = request.caller.role === 'service_role';
  const relations = visible ? catalog.relations(request.schema) : [];
  const functions = new Set(visible ? catalog.routineNames(request.schema) : []);
  const document = {
    swagger: '2.0',
    info: { title: 'PostgREST API', description: '', version: '14' },
    basePath: '/',
    schemes: ['http'],
    consumes: ['application/json', 'text/csv'],
    produces: ['application/json', 'text/csv'],
    paths: Object.fromEntries([
      ...relations.map((relation) => [`/${relation.name}`, { get: {}, post: {}, patch: {}, delete: {} }]),
      ...[...functions].map((name) => [`/rpc/${name}`, { post: {} }]),
    ]),
    definitions: Object.fromEntries(relations.map((relation) => [relation.name, describeRelation(relation)])),
  };
  return {
    status: 200,
    headers: { 'Content-Type': 'application/openapi+json; charset=utf-8' },
    body: request.method === 'HEAD' ? '' : JSON.stringify(document),
  };
}

function describeRelation(relation: Relation): object {
  const properties = [...relation.columns.values()].map((column) => [column.name, { format: column.type }]);
  return { type: 'object', properties: Object.fromEntries(properties) };
}

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
