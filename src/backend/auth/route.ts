import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify';
import { z } from 'zod';
import { addressOf, networkOf } from '#http/network.ts';
import { requireAdmin, requireUser, type SignedIn } from './authenticate.ts';
import { readBody, Text } from './body.ts';
import type { AuthContext } from './context.ts';
import { AuthError, captchaFailed, FAULTS } from './errors.ts';
import type { LimitName } from './limits/request-limits.ts';
import type { Device } from './repository/sessions.ts';

/** What a call is given: everything checked that its declaration names. */
export type Ask<Body = undefined> = Readonly<{
  context: AuthContext;
  request: FastifyRequest;
  reply: FastifyReply;
  body: Body;
  device: Device;
  at: Date;
}>;

export type CallSpec<Body> = Readonly<{
  method: HTTPMethods;
  url: string;
  /** Bucket of the caller's address that each call takes one token from. */
  limit?: LimitName;
  /** 'asked': for whoever has solved one, where the project asks for it. */
  captcha?: 'asked';
  body?: z.ZodType<Body>;
  /** 'optional': who sends none means `{}`. */
  presence?: 'optional';
}>;

export type Call = Readonly<{
  /** What it declares; tests go through all of them. */
  spec: CallSpec<unknown>;
  mount: (app: FastifyInstance, context: AuthContext) => void;
}>;

/** For anybody. */
export function publicCall<Body = undefined>(spec: CallSpec<Body>, run: (ask: Ask<Body>) => Promise<unknown>): Call {
  return callOf(spec, async () => undefined, run);
}

/** For whoever sends a user's access token. */
export function userCall<Body = undefined>(
  spec: CallSpec<Body>,
  run: (ask: Ask<Body>, me: SignedIn) => Promise<unknown>,
): Call {
  return callOf(spec, requireUser, run);
}

/** For whoever sends the service key or a token of that role. */
export function adminCall<Body = undefined>(spec: CallSpec<Body>, run: (ask: Ask<Body>) => Promise<unknown>): Call {
  return callOf(spec, requireAdmin, run);
}

type Guard<Caller> = (context: AuthContext, request: FastifyRequest) => Promise<Caller>;

/** Limit, caller, body, call: in this order, so that nobody learns about a body who may not call. */
function callOf<Body, Caller>(
  spec: CallSpec<Body>,
  guard: Guard<Caller>,
  run: (ask: Ask<Body>, caller: Caller) => Promise<unknown>,
): Call {
  const mount: Call['mount'] = (app, context) => {
    const handler = async (request: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
      const address = addressOf(request);
      if (spec.limit !== undefined && !context.limits[spec.limit].take(networkOf(address))) throw FAULTS.rateLimit();
      if (spec.captcha === 'asked') await requireCaptcha(context, request);
      const caller = await guard(context, request);
      const sent = spec.presence === 'optional' ? (request.body ?? {}) : request.body;
      const body = spec.body === undefined ? (undefined as Body) : readBody(spec.body, sent);
      const device = { address, userAgent: request.headers['user-agent']?.slice(0, 512) };
      return run({ context, request, reply, body, device, at: new Date(context.now()) }, caller);
    };
    app.route({ method: spec.method, url: spec.url, handler });
  };
  return { spec, mount };
}

const Body = z.object({ gotrue_meta_security: z.object({ captcha_token: Text }).nullish() });

/**
 * supabase-contract §1.6: a solved captcha, where `[auth.captcha]` is on, from everybody but administrators. Throws
 * AuthError.
 */
export async function requireCaptcha(context: AuthContext, request: FastifyRequest): Promise<void> {
  if (!context.auth.captcha.enabled || (await isAdmin(context, request))) return;
  const token = readBody(Body, request.body).gotrue_meta_security?.captcha_token.trim() ?? '';
  if (token === '') throw captchaFailed('no captcha_token found');
  const verdict = await context.captcha(token, addressOf(request)).catch((error: unknown) => {
    context.log.error({ cause: error instanceof Error ? error.name : 'unknown' }, 'the captcha service did not answer');
    throw FAULTS.captchaSilent();
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
