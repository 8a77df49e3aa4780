import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify';
import { z } from 'zod';
import { addressOf, networkOf } from '#http/network.ts';
import { requireAdmin, requireUser, type SignedIn } from './authenticate.ts';
import { parseBody, Text } from './body.ts';
import type { AuthContext } from './context.ts';
import { AuthError, captchaFailed, ERRORS } from './errors.ts';
import type { LimitName } from './limits/request-limits.ts';
import type { Device } from './repository/sessions.ts';

/** The input of a handler: every part that the route declares is validated. */
export type RequestContext<Body = undefined> = Readonly<{
  context: AuthContext;
  request: FastifyRequest;
  reply: FastifyReply;
  body: Body;
  device: Device;
  at: Date;
}>;

export type RouteSpec<Body> = Readonly<{
  method: HTTPMethods;
  url: string;
  /** The rate limiter that each request takes one token from, by the caller's network. */
  limit?: LimitName;
  /** 'asked': requires a solved captcha where the project has one. */
  captcha?: 'asked';
  body?: z.ZodType<Body>;
  /** 'optional': a missing body means `{}`. */
  presence?: 'optional';
}>;

export type Route = Readonly<{
  /** Tests read the declarations of all routes. */
  spec: RouteSpec<unknown>;
  mount: (app: FastifyInstance, context: AuthContext) => void;
}>;

/** Accepts every caller. */
export function publicRoute<Body = undefined>(
  spec: RouteSpec<Body>,
  handle: (input: RequestContext<Body>) => Promise<unknown>,
): Route {
  return defineRoute(spec, async () => undefined, handle);
}

/** Requires a user's access token. */
export function userRoute<Body = undefined>(
  spec: RouteSpec<Body>,
  handle: (input: RequestContext<Body>, me: SignedIn) => Promise<unknown>,
): Route {
  return defineRoute(spec, requireUser, handle);
}

/** Requires the service key or a token of that role. */
export function adminRoute<Body = undefined>(
  spec: RouteSpec<Body>,
  handle: (input: RequestContext<Body>) => Promise<unknown>,
): Route {
  return defineRoute(spec, requireAdmin, handle);
}

type Guard<Caller> = (context: AuthContext, request: FastifyRequest) => Promise<Caller>;

/** Checks limit, caller and body in this order, so that an unauthorized caller learns nothing about the body. */
function defineRoute<Body, Caller>(
  spec: RouteSpec<Body>,
  guard: Guard<Caller>,
  handle: (input: RequestContext<Body>, caller: Caller) => Promise<unknown>,
): Route {
  const mount: Route['mount'] = (app, context) => {
    const handler = async (request: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
      const address = addressOf(request);
      if (spec.limit !== undefined && !context.limits[spec.limit].take(networkOf(address))) throw ERRORS.rateLimit();
      if (spec.captcha === 'asked') await requireCaptcha(context, request);
      const caller = await guard(context, request);
      const sent = spec.presence === 'optional' ? (request.body ?? {}) : request.body;
      const body = spec.body === undefined ? (undefined as Body) : parseBody(spec.body, sent);
      const device = { address, userAgent: request.headers['user-agent']?.slice(0, 512) };
      return handle({ context, request, reply, body, device, at: new Date(context.now()) }, caller);
    };
    app.route({ method: spec.method, url: spec.url, handler });
  };
  return { spec, mount };
}

const Body = z.object({ gotrue_meta_security: z.object({ captcha_token: Text }).nullish() });

/**
 * Requires a solved captcha where `[auth.captcha]` is on, except from administrators (supabase-contract §1.6). Throws
 * AuthError.
 */
export async function requireCaptcha(context: AuthContext, request: FastifyRequest): Promise<void> {
  if (!context.auth.captcha.enabled || (await isAdmin(context, request))) return;
  const token = parseBody(Body, request.body).gotrue_meta_security?.captcha_token.trim() ?? '';
  if (token === '') throw captchaFailed('no captcha_token found');
  const verdict = await context.captcha(token, addressOf(request)).catch((error: unknown) => {
    context.log.error({ cause: error instanceof Error ? error.name : 'unknown' }, 'captcha service did not answer');
    throw ERRORS.captchaSilent();
  });
  if (!verdict.passed) throw captchaFailed(verdict.reasons.join(', '));
}

async function isAdmin(context: AuthContext, request: FastifyRequest): Promise<boolean> {
  try {
    await requireAdmin(context, request);
    return true;
  } catch (error) {
    if (error instanceof AuthError) return false;
    throw error;
  }
}
