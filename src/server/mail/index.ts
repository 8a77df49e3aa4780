import type { FastifyBaseLogger } from 'fastify';
import type { MailRoute } from '#backend/index.ts';
import type { Env } from '../env.ts';
import { openShelf, type MailShelf } from '../mail-shelf.ts';
import { createCourier, type Courier } from './courier.ts';
import { folderOf, openOutbox } from './outbox-folder.ts';
import { smtpCarrier } from './smtp.ts';

export type { Courier } from './courier.ts';
export { openPost } from './post.ts';

/** Every mail is a file first (D15): what is written survives a crash, and without SMTP_URL it stays there to be read. */
export function mailRoute(env: Env, written?: () => void): MailRoute {
  return { kind: 'outbox', folder: folderOf(env), from: env.MAIL_FROM, ...(written === undefined ? {} : { written }) };
}

/** undefined where no SMTP server is configured. */
export function openCourier(env: Env, log: FastifyBaseLogger): Courier | undefined {
  if (env.SMTP_URL === undefined) return undefined;
  if (env.PUBLIC_URL === undefined) log.warn('mail: without PUBLIC_URL the links in mails lead to this machine only');
  return createCourier({ outbox: openOutbox(folderOf(env)), carry: smtpCarrier(env.SMTP_URL), log });
}

/** The mails of this server, to look for those about somebody. */
export function mailShelf(env: Env): MailShelf {
  return openShelf(folderOf(env));
}
