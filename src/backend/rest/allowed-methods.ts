import type { FastifyRequest, onSendAsyncHookHandler } from 'fastify';
import type { Relation } from './catalog/catalog.ts';
import { planWithCatalog } from './catalog/catalog-cache.ts';
import { badPath, formatError, RestError } from './errors.ts';
import { requireRelation } from './read-relation.ts';
import { chooseSchema, type RestDeps } from './request.ts';
import { chooseRoutine } from './sql/call.ts';

/** Adds the methods of the resource to a plain OPTIONS, which the CORS plugin answered as a preflight. */
export function addAllowedMethods(deps: RestDeps): onSendAsyncHookHandler {
  return async (request, reply, payload) => {
    if (request.method !== 'OPTIONS' || request.headers['access-control-request-method'] !== undefined) return payload;
    void reply.removeHeader('Content-Length');
    try {
      void reply.code(200).header('Allow', await findMethods(deps, request));
      return '';
    } catch (error) {
      if (!(error instanceof RestError)) throw error;
      const { headers, body } = formatError(error);
      void reply.code(error.status).headers(headers);
      return body;
    }
  };
}

/** Throws PGRST106, 125, 202, 203 and 205. */
async function findMethods(deps: RestDeps, { headers, params, routeOptions }: FastifyRequest): Promise<string> {
  const name = typeof params === 'object' && params !== null && 'name' in params ? String(params.name) : undefined;
  const { schema } = chooseSchema(headers['accept-profile'], deps.api.schemas);
  if (routeOptions.url?.endsWith('/*') === true) throw badPath();
  if (name === undefined) return 'OPTIONS,GET,HEAD';
  return planWithCatalog(deps.catalog, (catalog) => {
    if (routeOptions.url?.endsWith('/rpc/:name') !== true) {
      return listRelationMethods(requireRelation(catalog, schema, name));
    }
    // As upstream, a function is looked for by a call without arguments.
    const { routine } = chooseRoutine(catalog, schema, name, { kind: 'query', pairs: [] });
    return routine.volatile ? 'OPTIONS,POST' : 'OPTIONS,GET,HEAD,POST';
  });
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
