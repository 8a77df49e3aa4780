import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods, RouteOptions } from 'fastify';
import type { z } from 'zod';

/** The input of a handler: every part that the route declares is validated. */
export type RequestContext<Context, Body> = Readonly<{
  context: Context;
  request: FastifyRequest;
  reply: FastifyReply;
  body: Body;
}>;

export type RouteSpec<Body = unknown> = Readonly<{
  method: HTTPMethods | readonly HTTPMethods[];
  /** Below the prefix of the service. */
  url: string;
  /** What limits the route, for the list of all routes; its kind or its handler applies it. */
  limit?: string;
  body?: z.core.$ZodType<Body>;
  /** 'optional': a missing body means `{}`. */
  presence?: 'optional';
  /** The body where the handler reads it itself, for the list of all routes. */
  content?: string;
  /** Of an answer that is no error; default: 200, or what the handler sets. */
  status?: number;
  options?: FastifyOptions;
}>;

type FastifyOptions = Pick<RouteOptions, 'bodyLimit' | 'config' | 'exposeHeadRoute'>;

export type Route<Context> = Readonly<{
  spec: RouteSpec;
  /** Who may use the route, for the list of all routes. */
  caller: string;
  mount: (app: FastifyInstance, context: Context) => void;
}>;

/** How one kind of routes admits requests. */
export type RouteKind<Context, Admitted, Spec, More> = Readonly<{
  caller: string;
  /** Checks limit and caller, then calls `run`, or throws the protocol's error. `more` joins the handler's input. */
  admit: (
    input: Omit<RequestContext<Context, never>, 'body'> & Readonly<{ spec: RouteSpec & Spec }>,
    run: (admitted: Admitted, more: More) => Promise<unknown>,
  ) => Promise<unknown>;
  /** Throws the protocol's error. Without it no route of the kind declares a body. */
  parseBody?: <Body>(schema: z.core.$ZodType<Body>, body: unknown) => Body;
  options?: FastifyOptions;
}>;

/** Returns the function that declares routes for everyone, whose handlers check the body themselves. */
export function createPlainRoute<Context>() {
  return createRouteKind<Context, undefined>({ caller: 'anyone', admit: (_input, run) => run(undefined, {}) });
}

/**
 * Returns the function that declares routes of this kind. What admits a request is checked before its body, so that an
 * unauthorized caller learns nothing about the body.
 */
export function createRouteKind<Context, Admitted, Spec = unknown, More = unknown>(
  kind: RouteKind<Context, Admitted, Spec, More>,
) {
  return <Body = undefined>(
    spec: RouteSpec<Body> & Spec,
    handle: (input: RequestContext<Context, Body> & More, admitted: Admitted) => Promise<unknown>,
  ): Route<Context> => {
    const mount: Route<Context>['mount'] = (app, context) => {
      const handler = (request: FastifyRequest, reply: FastifyReply): Promise<unknown> =>
        kind.admit({ context, request, reply, spec }, async (admitted, more) => {
          const sent = spec.presence === 'optional' ? (request.body ?? {}) : request.body;
          const body = spec.body === undefined ? undefined : kind.parseBody?.(spec.body, sent);
          const answer = await handle({ context, request, reply, body: body as Body, ...more }, admitted);
          if (spec.status !== undefined) void reply.code(spec.status);
          return answer;
        });
      app.route({ ...kind.options, ...spec.options, method: [spec.method].flat(), url: spec.url, handler });
    };
    return { spec, caller: kind.caller, mount };
  };
}
