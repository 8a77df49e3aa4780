import type { Relation } from './catalog/catalog.ts';
import type { Answer, RestDeps, RestRequest } from './service.ts';

/** GET /: the exposed schema as OpenAPI 2, as far as names and types go. Only the service sees what there is. */
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
    definitions: Object.fromEntries(relations.map((relation) => [relation.name, definition(relation)])),
  };
  return {
    status: 200,
    headers: { 'Content-Type': 'application/openapi+json; charset=utf-8' },
    body: request.method === 'HEAD' ? '' : JSON.stringify(document),
  };
}

function definition(relation: Relation): object {
  const properties = [...relation.columns.values()].map((column) => [column.name, { format: column.type }]);
  return { type: 'object', properties: Object.fromEntries(properties) };
}
