import type { FastifyPluginAsync } from 'fastify';
import type { ServiceDeps } from '../service.ts';
import { useJsonBodies } from './body.ts';
import { CALLS } from './calls/index.ts';
import { createCodes } from './codes.ts';
import type { AuthContext } from './context.ts';
import { useEnvelope } from './envelope.ts';
import { durationMs } from './durations.ts';
import { createSecretBox } from './factors/secret-box.ts';
import { createBuckets, type Buckets } from './limits/buckets.ts';
import { createGuesses } from './limits/guesses.ts';
import { requestLimits } from './limits/request-limits.ts';
import type { MailRoute } from './mail/mailer.ts';
import { createOutbox } from './mail/outbox.ts';
import { createHttpSms } from './sms/http-sms.ts';
import { createTokenChain } from './sessions/token-chain.ts';

export type { MailRoute } from './mail/mailer.ts';

export type AuthDeps = ServiceDeps &
  Readonly<{
    mail: MailRoute;
    /** Where this service is reached from outside, `/auth/v1` included: links in mails lead there. */
    externalUrl: string;
    /** Milliseconds since 1970. */
    now: () => number;
  }>;

const HOUR = 3_600_000;

/** /auth/v1: the authentication contract (supabase-contract §1). */
export function authService(deps: AuthDeps): FastifyPluginAsync {
  const running = new Set<Promise<void>>();
  const context = contextOf(deps, (work) => {
    const done = work.catch((error: unknown) => deps.log.error({ cause: String(error) }, 'authentication work failed'));
    running.add(done);
    void done.finally(() => running.delete(done));
  });
  return async (app) => {
    useEnvelope(app, deps.log);
    useJsonBodies(app);
    app.addHook('onClose', async () => void (await Promise.all(running)));
    for (const call of CALLS) call(app, context);
  };
}

function contextOf(deps: AuthDeps, background: AuthContext['background']): AuthContext {
  const { auth } = deps.config;
  const { now, database, keys, log, externalUrl } = deps;
  return {
    database,
    keys,
    auth,
    log,
    now,
    externalUrl,
    mailer: createOutbox(deps.mail, `no-reply@${new URL(externalUrl).hostname}`, now),
    sms: createHttpSms({ hook: auth.hook.send_sms, all: hourly(auth.rate_limit.sms_sent, now), log, now }),
    limits: requestLimits(auth, now),
    guesses: createGuesses(now),
    mailboxes: oncePer(auth.email.max_frequency, now),
    allMails: hourly(auth.rate_limit.email_sent, now),
    phones: oncePer(auth.sms.max_frequency, now),
    chain: createTokenChain(keys.urlSecret),
    secrets: createSecretBox(keys.urlSecret),
    codes: createCodes(keys.urlSecret),
    background,
  };
}

function hourly(tokens: number, now: () => number): Buckets {
  return createBuckets({ tokens, perMs: HOUR, burst: tokens }, now);
}

function oncePer(pause: string, now: () => number): Buckets {
  return createBuckets({ tokens: 1, perMs: Math.max(1, durationMs(pause) ?? 60_000), burst: 1 }, now);
}
