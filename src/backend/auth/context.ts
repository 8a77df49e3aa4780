import type { FastifyBaseLogger } from 'fastify';
import type { ProjectConfig } from '../config.ts';
import type { Database } from '../database/index.ts';
import type { KeyRing } from '../keys.ts';
import type { CaptchaVerifier } from './captcha/verifier.ts';
import type { Codes } from './codes.ts';
import type { Connections } from './external/connections.ts';
import type { SecretBox } from './factors/secret-box.ts';
import type { LeakCheck } from './leaked-passwords.ts';
import type { Guesses } from './limits/guesses.ts';
import type { RequestLimits } from './limits/request-limits.ts';
import type { Buckets } from './limits/buckets.ts';
import type { SharedBuckets } from './limits/shared-buckets.ts';
import type { Mailer } from './mail/mailer.ts';
import type { Outbound } from './outbound/outbound.ts';
import type { SamlKey } from './saml/key.ts';
import type { Sms } from './sms/sms.ts';
import type { TokenChain } from './sessions/token-chain.ts';

/** What every call of this service works with. */
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
  guesses: Guesses;
  /** Mails to one mailbox, and mails altogether by their budget. */
  mailboxes: SharedBuckets;
  allMails: SharedBuckets;
  /** Text messages to one number. */
  phones: Buckets;
  captcha: CaptchaVerifier;
  leaked: LeakCheck;
  chain: TokenChain;
  codes: Codes;
  /** To addresses that somebody else names. */
  outbound: Outbound;
  connections: Connections;
  /** Made at first need. */
  samlKey: () => Promise<SamlKey>;
  /** Encrypts what second factors keep in the database. */
  secrets: SecretBox;
  /** Work that must not hold up the answer; awaited before the server stops. */
  background: (work: Promise<void>) => void;
}>;
