import { randomUUID } from 'node:crypto';
import path from 'node:path';
import type { FastifyBaseLogger } from 'fastify';
import { isLinkOpen, type AccountMailer, type Database } from '#backend/index.ts';
import { removeUnfinishedFiles } from '#lib/durable-file.ts';
import type { Worker } from '#lib/worker.ts';
import type { BackendAddress } from '../backend-client.ts';
import type { Env } from '../env.ts';
import { wordAccountMail, wordTestMail } from './account-mail-texts.ts';
import { composeDeskMail } from './desk-mail-texts.ts';
import { createDeskMailWorker, openDeskQueue } from './desk-queue.ts';
import { createOutboxWorker, folderMailer, type Mailer, type OutboxWorker, smtpMailer } from './delivery.ts';
import { type MailSearch, searchOutbox } from './mail-search.ts';
import { renderWording } from './mail-layout.ts';
import { openOutbox, type Outbox, removeLoneSidecars } from './outbox.ts';
import { composeMessage, getAddress, parseMailbox } from './message.ts';
import { sendOnce, smtpTransport } from './smtp.ts';

export type { MailSearch, MailSubject } from './mail-search.ts';

/** Mails of the authentication service are files first (decision 0032). `written` is called after each. */
export function accountMailer(env: Env, written?: () => void): AccountMailer {
  const outbox = openFolder(env);
  return {
    send: async ({ to, ...facts }) => {
      const token = (facts.link && new URL(facts.link).searchParams.get('token')) ?? undefined;
      await outbox.put({ id: randomUUID(), at: new Date(), to, token, ...renderWording(wordAccountMail(facts, env)) });
      written?.();
    },
  };
}

/** undefined where no mail server is configured: then the mails stay as files. */
export function openOutboxWorker(
  env: Env,
  log: FastifyBaseLogger,
  getDatabase: () => Database | undefined,
): OutboxWorker | undefined {
  if (env.SMTP_URL === undefined) return undefined;
  if (env.PUBLIC_URL === undefined) log.warn('mail: without PUBLIC_URL the links in mails lead to this machine only');
  return createOutboxWorker({
    outbox: openFolder(env),
    transport: smtpTransport(env.SMTP_URL),
    isLinkOpen: async (token) => (await getDatabase()?.asOwner((tx) => isLinkOpen(tx, token))) !== false,
    log,
  });
}

export function openMailSearch(env: Env): MailSearch {
  return searchOutbox(getFolder(env));
}

/** Before anything writes mails: a mail that is being written looks like one that a crash cut short. */
export async function tidyDataFolder(env: Env): Promise<void> {
  for (const folder of [env.DATA_DIR, getFolder(env)]) await removeUnfinishedFiles(folder);
  await removeLoneSidecars(getFolder(env), 0);
}

/** While mails are written. */
export const tidyOutbox = (env: Env): Promise<void> => removeLoneSidecars(getFolder(env), 3_600_000);

export function openMailer(env: Env, log: Pick<FastifyBaseLogger, 'info' | 'warn' | 'error'>): Mailer {
  if (env.SMTP_URL === undefined) return folderMailer(openFolder(env), log);
  return smtpMailer(smtpTransport(env.SMTP_URL), getSender(env), log);
}

/** Sends one mail past every queue, for an administrator who tries the mail server. Rejects with nodemailer's error. */
export async function sendTestMail(env: Env, recipient: string, signal: AbortSignal): Promise<void> {
  if (env.SMTP_URL === undefined) throw new Error('SMTP_URL is not given');
  const from = getSender(env);
  const to = parseMailbox(recipient) ?? recipient;
  const message = { id: randomUUID(), at: new Date(), to, ...renderWording(wordTestMail(env.BRAND_PRODUCT)) };
  const content = await composeMessage(message, from);
  await sendOnce(env.SMTP_URL, { from: getAddress(from), to, content }, signal);
}

type DeskMailDeps = Readonly<{
  backend: BackendAddress;
  /** Without it the queue cannot be read, and the database adds no mails to it. */
  serviceKey: string | undefined;
  /** Where users reach the application. */
  origin: string;
}>;

/** Sends the mails of the desk to the team and to contributors: those of DESK_MAILS. */
export function openDeskMail(
  env: Env,
  log: FastifyBaseLogger,
  { backend, serviceKey, origin }: DeskMailDeps,
): Worker | undefined {
  if (serviceKey === undefined) {
    log.info('desk mails: off, because SUPABASE_SERVICE_KEY is not given');
    return undefined;
  }
  const isSenderRead = env.MAIL_FROM !== undefined;
  const context = { origin, product: env.BRAND_PRODUCT, isSenderRead, retentionDays: env.RETENTION_DAYS };
  return createDeskMailWorker({
    queue: openDeskQueue(backend, serviceKey),
    mailer: openMailer(env, log),
    team: env.DESK_MAIL_TO,
    pauseS: env.DESK_MAIL_PAUSE_S,
    reminderDays: env.REVIEW_REMINDERS,
    // Without a mail server they would reach no one.
    receiptsPerDay: env.SMTP_URL === undefined ? undefined : env.RECEIPT_MAILS_PER_DAY || undefined,
    compose: (mail, reviewKey) => composeDeskMail(mail, context, reviewKey),
    log,
  });
}

function openFolder(env: Env): Outbox {
  return openOutbox(getFolder(env), getSender(env));
}

function getFolder(env: Env): string {
  return path.join(env.DATA_DIR, 'outbox');
}

/** `MAIL_FROM`, or an address at this server's own host; in the product's name where it has none (decision 0390). */
export function getSender(env: Env): string {
  const from = env.MAIL_FROM ?? `no-reply@${new URL(env.PUBLIC_URL ?? 'http://localhost').hostname}`;
  return from.includes('<') ? from : `${env.BRAND_PRODUCT} <${from}>`;
}
