import type { FastifyBaseLogger } from 'fastify';
import type { ProjectConfig } from '../config.ts';
import type { Database } from '../database/index.ts';
import type { KeyRing } from '../keys.ts';
import type { CaptchaVerifier } from './captcha.ts';
import type { Connections } from './external/connections.ts';
import type { SecretBox } from './factors/secret-box.ts';
import type { LeakCheck } from './leaked-passwords.ts';
import type { LoginThrottle } from './limits/login-throttle.ts';
import type { RateLimiter } from '#lib/rate-limiter.ts';
import type { RequestLimits } from './limits/request-limits.ts';
import type { SharedRateLimiter } from './limits/shared-rate-limiter.ts';
import type { Codes } from './one-time-codes.ts';
import type { Outbound } from './outbound.ts';
import type { Sms } from './phone/sms.ts';
import type { SamlKey } from './saml/key.ts';
import type { TokenChain } from './sessions/token-chain.ts';

/** The dependencies that every route of this service shares. */
export type AuthContext = Readonly<{
  database: Database;
  keys: KeyRing;
  auth: ProjectConfig['auth'];
  log: FastifyBaseLogger;
  /** Milliseconds since 1970. */
  now: () => number;
  /** Where links in mails lead; never taken from a request, which a stranger may have made. */
  externalUrl: string;
  mailer: Mailer;
  sms: Sms;
  limits: RequestLimits;
  loginThrottle: LoginThrottle;
  /** Mails to one mailbox, and mails altogether by their budget. */
  mailboxQuota: SharedRateLimiter;
  mailQuota: SharedRateLimiter;
  /** Text messages to one number. */
  phoneQuota: RateLimiter;
  captcha: CaptchaVerifier;
  leaked: LeakCheck;
  chain: TokenChain;
  codes: Codes;
  /** Requests to addresses from outside the configuration. */
  outbound: Outbound;
  connections: Connections;
  /** Made at first need. */
  samlKey: () => Promise<SamlKey>;
  /** Encrypts what second factors keep in the database. */
  secrets: SecretBox;
  /** Work that must not hold up the answer; awaited before the server stops. */
  background: (work: Promise<void>) => void;
}>;

/** The occasion of a mail; also the `type` of the link in it where there is one. */
export type MailKind = 'signup' | 'invite' | 'magiclink' | 'recovery' | 'email_change' | 'reauthentication';

/** One mail to one mailbox. The words are the product's; without `link` the code belongs into an open form. */
export type AccountMail = Readonly<{ kind: MailKind; to: string; link?: string; code: string; validSeconds: number }>;

/** Rejects where the mail was not taken over. */
export type Mailer = Readonly<{ send: (mail: AccountMail) => Promise<void> }>;

/** Work that goes on after the answer to its request. */
export function createBackground(onError: (error: unknown) => void) {
  const running = new Set<Promise<void>>();
  return {
    run: (work: Promise<void>): void => {
      const done = work.catch(onError);
      running.add(done);
      void done.finally(() => running.delete(done));
    },
    /** Resolves when all work has ended, including what other work began meanwhile. */
    finish: async (): Promise<void> => {
      while (running.size > 0) await Promise.all(running);
    },
  };
}
