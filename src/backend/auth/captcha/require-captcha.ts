import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { addressOf } from '../addresses.ts';
import { requireAdmin } from '../authenticate.ts';
import { readBody, Text } from '../body.ts';
import type { AuthContext } from '../context.ts';
import { AuthError, captchaFailed, FAULTS } from '../errors.ts';

const Body = z.object({ gotrue_meta_security: z.object({ captcha_token: Text }).nullish() });

/** supabase-contract §1.6: a solved captcha, where `[auth.captcha]` is on, from everybody but administrators. Throws AuthError. */
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
