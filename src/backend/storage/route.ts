import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Route, RouteSpec } from '#http/route.ts';
import type { StorageDeps } from './deps.ts';

/** For a thousand names. */
export const LARGE_BODY = { bodyLimit: 4 * 1024 * 1024 };

export type StorageRoute = Route<StorageDeps>;

type Handler<Params> = (
  deps: StorageDeps,
  request: FastifyRequest<{ Params: Params }>,
  reply: FastifyReply,
) => Promise<unknown>;

/** The handler checks caller and body itself, because policies read which operation it is. */
export function storageRoute<Params>(
  spec: RouteSpec,
  handle: Handler<Params>,
  caller = 'key or token; policies decide',
): StorageRoute {
  return {
    spec,
    caller,
    mount: (app, deps) => {
      app.route<{ Params: Params }>({
        ...spec.options,
        method: [spec.method].flat(),
        url: spec.url,
        handler: (request, reply) => handle(deps, request, reply),
      });
    },
  };
}
