import rateLimit from '@fastify/rate-limit';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { callerOf, type CallerKeys } from '#http/caller.ts';
import type { Env } from '../env.ts';

const HOUR_MS = 3_600_000;
const INSERT_PATH = /^\/rest\/v1\/interviews(\?|$)/;

/** D9: contributions without a login are limited per address. Call before the routes it is meant for are mounted. */
export async function limitContributions(
  app: FastifyInstance,
  { env, keys }: { env: Env; keys: CallerKeys },
): Promise<void> {
  await app.register(rateLimit, { global: false });
  const count = app.createRateLimit({ max: env.CONTRIBUTIONS_PER_HOUR, timeWindow: HOUR_MS });
  app.addHook('onRequest', async (request, reply) => {
    if (!(await isContribution(request, keys))) return;
    const outcome = await count(request);
    if (!outcome.isAllowed && outcome.isExceeded) await refuse(reply, outcome.ttlInSeconds);
  });
}

async function isContribution(request: FastifyRequest, keys: CallerKeys): Promise<boolean> {
  if (request.method !== 'POST' || !INSERT_PATH.test(request.url)) return false;
  const caller = await callerOf(request.headers, keys).catch(() => undefined);
  return caller?.role === 'anon';
}

function refuse(reply: FastifyReply, seconds: number): FastifyReply {
  return reply.code(429).header('retry-after', seconds).send({
    code: 'over_contribution_limit',
    details: null,
    hint: null,
    message: 'Too many contributions from this address',
  });
}
