import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { getClientAddress, toNetwork } from '#http/network.ts';
import * as http from '#http/route.ts';
import type { Tx } from '../database/index.ts';
import { requireAdmin, requireUser, type SignedIn } from './authenticate.ts';
import { parseBody, Text } from './body.ts';
import type { AuthContext } from './context.ts';
import { AuthError, captchaFailed, ERRORS } from './errors.ts';
import { FACTOR_ERRORS } from './factors/rules.ts';
import type { RequestLimits } from './limits/request-limits.ts';
import { findFactor, type FactorRow } from './repository/factors.ts';
import type { Device, SessionRow } from './repository/sessions.ts';
import type { UserRow } from './repository/users.ts';

type More = Readonly<{ device: Device; at: Date }>;

/** The input of a handler: every part that the route declares is validated. */
export type RequestContext<Body = undefined> = http.RequestContext<AuthContext, Body> & More;

type AuthSpec = Readonly<{
  /** The rate limiter that each request takes one token from, by the caller's network. */
  limit?: keyof RequestLimits;
  /** 'asked': requires a solved captcha where the project has one. */
  captcha?: 'asked';
}>;

export type RouteSpec<Body> = http.RouteSpec<Body> & AuthSpec;

export type Route = http.Route<AuthContext>;

/** Accepts every caller. */
export const publicRoute = createAuthRoute('anyone', async () => undefined);

/** Requires a user's access token. */
export const userRoute = createAuthRoute('user', requireUser);

/** Requires the service key or a token of that role. */
export const adminRoute = createAuthRoute('service key', requireAdmin);

function createAuthRoute<Caller>(
  caller: string,
  guard: (context: AuthContext, request: FastifyRequest) => Promise<Caller>,
) {
  return http.createRouteKind<AuthContext, Caller, AuthSpec, More>({
    caller,
    admit: async ({ context, request, spec }, run) => {
      const address = getClientAddress(request);
      if (spec.limit !== undefined && !context.limits[spec.limit].take(toNetwork(address))) throw ERRORS.rateLimit();
      if (spec.captcha === 'asked') await requireCaptcha(context, request);
      const device = { address, userAgent: request.headers['user-agent']?.slice(0, 512) };
      return run(await guard(context, request), { device, at: new Date(context.now()) });
    },
    parseBody,
    // A program that checks the links of a mail by HEAD would use them up.
    options: { exposeHeadRoute: false },
  });
}

/** The owner of the factors and the session that a factor upgrades. */
export type FactorOwner = Readonly<{ user: UserRow; session: SessionRow }>;

/** Requires the access token of a session; anonymous users are refused, as they have no login to protect. */
export function factorRoute<Body = undefined>(
  spec: RouteSpec<Body>,
  handle: (input: RequestContext<Body>, owner: FactorOwner) => Promise<unknown>,
): Route {
  return userRoute(spec, (input, me) => handle(input, requireFactorOwner(me)));
}

function requireFactorOwner({ user, session }: SignedIn): FactorOwner {
  if (user.is_anonymous) throw FACTOR_ERRORS.anonymous();
  if (session === undefined) throw ERRORS.sessionNotFound();
  return { user, session };
}

/** The factor of `/factors/:factor_id`, where it is the user's. Throws AuthError 404. */
export async function findPathFactor(tx: Tx, request: FastifyRequest, userId: string): Promise<FactorRow> {
  const id = z.object({ factor_id: z.guid() }).safeParse(request.params).data?.factor_id;
  if (id === undefined) throw FACTOR_ERRORS.badId();
  const factor = await findFactor(tx, userId, id);
  if (factor === undefined) throw FACTOR_ERRORS.notFound();
  return factor;
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
  const verdict = await context.captcha(token, getClientAddress(request)).catch((error: unknown) => {
    context.log.error({ cause: error instanceof Error ? error.name : 'unknown' }, 'captcha service did not answer');
    throw ERRORS.captchaUnavailable();
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
