import type { FastifyPluginAsync } from 'fastify';
import { REFRESH_AFTER_MS } from '../keys.ts';
import type { ServiceDeps } from '../service.ts';
import { useEnvelope, useForms, useJsonBodies } from './body.ts';
import { createCaptchaVerifier } from './captcha.ts';
import { createBackground, type AuthContext, type Mailer } from './context.ts';
import { parseDuration } from './durations.ts';
import { createConnections } from './external/connections.ts';
import { findUnusableProviders } from './external/providers.ts';
import { createSecretBox } from './factors/secret-box.ts';
import { createLeakCheck } from './leaked-passwords.ts';
import { createLoginThrottle, ACCOUNT_ATTEMPT_LIMIT } from './limits/login-throttle.ts';
import { createRateLimiter, type RateLimit } from '#lib/rate-limiter.ts';
import { createRequestLimits } from './limits/request-limits.ts';
import { createSharedRateLimiter, type SharedRateLimiter } from './limits/shared-rate-limiter.ts';
import { createCodes } from './one-time-codes.ts';
import { createOutbound, type Resolve } from './outbound.ts';
import { createHttpSms } from './phone/sms.ts';
import { FORM_ROUTES, ROUTES } from './routes/index.ts';
import { openSamlKey } from './saml/key.ts';
import { createTokenChain } from './sessions/token-chain.ts';

export type { AccountMail, Mailer } from './context.ts';
export type { Resolve } from './outbound.ts';
export { isLinkOpen } from './repository/one-time-tokens.ts';

type AuthDeps = ServiceDeps &
  Readonly<{
    mailer: Mailer;
    /** Where this service is reached from outside, `/auth/v1` included: links in mails lead there. */
    externalUrl: string;
    /** Milliseconds since 1970. */
    now: () => number;
    /** Resolves host names of other providers; only tests replace it. */
    resolve?: Resolve | undefined;
  }>;

const HOUR = 3_600_000;

/** /auth/v1: the authentication contract (supabase-contract §1). */
export function authService(deps: AuthDeps): FastifyPluginAsync {
  const background = createBackground((error) =>
    deps.log.error({ cause: String(error) }, 'background work of authentication failed'),
  );
  const context = createContext(deps, background.run);
  const cleanup = createCleanup(context);
  for (const unusable of findUnusableProviders(context)) deps.log.warn(unusable, 'provider enabled but unusable');
  return async (app) => {
    useEnvelope(app);
    useJsonBodies(app);
    // Refreshes the keys before any transaction, so that the request signs with the current key.
    app.addHook('onRequest', () => deps.keys.refreshIfOlder(REFRESH_AFTER_MS));
    app.addHook('onResponse', async () => cleanup.run());
    app.addHook('onClose', () => cleanup.stop().then(background.finish));
    for (const route of ROUTES) route.mount(app, context);
    await app.register(async (forms) => {
      useForms(forms);
      for (const route of FORM_ROUTES) route.mount(forms, context);
    });
  };
}

function createContext(deps: AuthDeps, background: AuthContext['background']): AuthContext {
  const { auth } = deps.config;
  const { now, database, keys, log, mailer, externalUrl } = deps;
  const shared = (name: string, rule: RateLimit): SharedRateLimiter =>
    createSharedRateLimiter({ name, rule, secret: keys.serverSecret, database, now });
  const accountAttempts = shared('guesses', ACCOUNT_ATTEMPT_LIMIT);
  const outbound = createOutbound({ internalHosts: auth.internal_hosts, resolve: deps.resolve });
  return {
    database,
    keys,
    auth,
    log,
    now,
    externalUrl,
    mailer,
    sms: createHttpSms({
      hook: auth.hook.send_sms,
      limit: createRateLimiter(hourly(auth.rate_limit.sms_sent), now),
      log,
      now,
    }),
    limits: createRequestLimits(auth, now),
    loginThrottle: createLoginThrottle(now, async (account) => (await accountAttempts.take(account)) === 0),
    mailboxQuota: shared('mailbox', oncePer(auth.email.max_frequency)),
    mailQuota: shared('mails', hourly(auth.rate_limit.email_sent)),
    phoneQuota: createRateLimiter(oncePer(auth.sms.max_frequency), now),
    captcha: createCaptchaVerifier(auth.captcha),
    leaked: createLeakCheck(auth.password.hibp, log),
    chain: createTokenChain(keys.serverSecret),
    codes: createCodes(keys.serverSecret),
    outbound,
    connections: createConnections(outbound, now),
    samlKey: once(() => openSamlKey(auth.saml, database, externalUrl)),
    secrets: createSecretBox(keys.serverSecret),
    background,
  };
}

function hourly(tokens: number): RateLimit {
  return { tokens, perMs: HOUR, burst: tokens };
}

function oncePer(pause: string): RateLimit {
  return { tokens: 1, perMs: Math.max(1, parseDuration(pause) ?? 60_000), burst: 1 };
}

/** Caches the first success; a failure is tried again. */
function once<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | undefined;
  return () => {
    made ??= make().catch((error: unknown) => {
      made = undefined;
      throw error;
    });
    return made;
  };
}

const PAUSE_MS = 60_000;
const ROWS = 100;
const DAY = 24 * 3_600_000;

type Rule = Readonly<{ sql: string; olderThanMs: number }>;

const expire = (table: string, condition: string, olderThanMs: number, sql = `delete from auth.${table}`): Rule => ({
  sql: `${sql} where id in (select id from auth.${table} where ${condition} limit ${ROWS} for update skip locked)`,
  olderThanMs,
});

/** The columns as a finished change leaves them. */
const FORGET_EMAIL = `update auth.users set email_change = '', email_change_sent_at = null, email_change_token_new = '',
  email_change_token_current = '', email_change_confirm_status = 0`;
const FORGET_PHONE = `update auth.users set phone_change = '', phone_change_sent_at = null, phone_change_token = ''`;

/** A factor with a challenge may be verified at any moment. */
const UNASKED =
  'not exists (select from auth.mfa_challenges c where c.factor_id = mfa_factors.id and c.created_at >= $1)';

/** Deletes expired rows in small steps, as upstream does: each round one kind, few rows at once, without waiting. */
function createCleanup(context: AuthContext) {
  const rules = buildRules(context);
  let next = 0;
  let last = context.now();
  let stopped = false;
  const runNext = async (): Promise<void> => {
    const rule = rules[next % rules.length];
    next += 1;
    if (rule === undefined) return;
    const before = new Date(context.now() - rule.olderThanMs);
    const removeSome = () => context.database.asOwner((tx) => tx.query(rule.sql, [before]));
    // Guessed passwords write log entries faster than one batch a round removes them.
    while (!stopped && (await removeSome()).rowCount === ROWS);
  };
  return {
    /** Starts a round in the background once the pause since the last one is over. */
    run: (): void => {
      // The clock may have been set back.
      if (Math.abs(context.now() - last) < PAUSE_MS) return;
      last = context.now();
      context.background(runNext());
    },
    /** A running round ends after its current batch. */
    stop: async (): Promise<void> => void (stopped = true),
  };
}

function buildRules({ auth }: AuthContext): Rule[] {
  const { timebox, inactivity_timeout: inactivity } = auth.sessions;
  const ended = (duration: string | undefined, column: string): Rule[] => {
    const ms = parseDuration(duration);
    // Kept one day past their end, so that a returning client learns the reason.
    return ms === undefined ? [] : [expire('sessions', `${column} < $1`, ms + DAY)];
  };
  const codesEnd = DAY + Math.max(auth.email.otp_expiry, auth.sms.otp_expiry) * 1_000;
  return [
    // Longer than upstream's day: a reused old token must be recognized, so that its family is revoked.
    expire('refresh_tokens', 'revoked and updated_at < $1', 30 * DAY),
    expire('mfa_challenges', 'created_at < $1', DAY),
    expire('mfa_factors', `status = 'unverified' and created_at < $1 and ${UNASKED}`, DAY),
    expire('sessions', 'not_after < $1', 3 * DAY),
    ...ended(timebox, 'created_at'),
    ...ended(inactivity, 'coalesce(refreshed_at, created_at)'),
    expire('one_time_tokens', 'created_at < $1', codesEnd),
    // The address may be a stranger's, whose export and erasure look at confirmed addresses only.
    expire('users', 'email_change_sent_at < $1', codesEnd, FORGET_EMAIL),
    expire('users', 'phone_change_sent_at < $1', codesEnd, FORGET_PHONE),
    // Here and not at the next sign-in by a provider, which may be switched off by then.
    expire('flow_state', 'created_at < $1', codesEnd),
    expire('oauth_client_states', 'created_at < $1', HOUR),
    expire('saml_relay_states', 'created_at < $1', DAY),
    { sql: 'delete from auth.saml_assertions where expires_at < $1', olderThanMs: 0 },
    { sql: `delete from auth.shared_buckets where filled_at < $1`, olderThanMs: DAY },
    ...(auth.enable_anonymous_sign_ins ? [expire('users', 'is_anonymous and created_at < $1', 30 * DAY)] : []),
    // Network addresses are personal data; one year is enough for an investigation.
    expire('audit_log_entries', 'created_at < $1', 365 * DAY),
  ];
}
