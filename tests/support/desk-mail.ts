import { afterEach, expect } from 'vitest';
import { pino } from 'pino';
import type { Worker } from '#lib/worker.ts';
import { composeDeskMail } from '#server/mail/desk-mail-texts.ts';
import { createDeskMailWorker, openDeskQueue } from '#server/mail/desk-queue.ts';
import { readEnv } from '#server/env.ts';
import { openMailer } from '#server/mail/index.ts';
import type { TestUser } from './accounts.ts';
import type { TestServer } from './boot.ts';
import { asOwner } from './callers.ts';
import { change, contribute, look } from './desk.ts';
import { type SmtpScript, type SmtpServer, startSmtpServer } from './smtp-server.ts';

type TestSender = Worker &
  Readonly<{
    /** Pauses it wanted, in ms; none of them ends by itself. */
    pauses: readonly number[];
    /** Sends what is due; resolves when there is nothing left to do. */
    round: () => Promise<void>;
  }>;

const PLACE = { origin: 'https://beitraege.test', product: 'Assistent', isSenderRead: true };

/** A sender of its own on that server's queue, as another server would have one. */
function senderOn(server: TestServer, smtpUrl: string, team: readonly string[] = [], pauseS = 0): TestSender {
  const pauses: number[] = [];
  const log = pino({ level: 'silent' });
  const env = readEnv({ SMTP_URL: smtpUrl, MAIL_FROM: 'Redaktion <post@haus.test>', DATA_DIR: server.dataDir });
  const sender = createDeskMailWorker({
    queue: openDeskQueue({ url: server.url }, server.backend.keys.secretKey),
    mailer: openMailer(env, log),
    team,
    pauseS,
    reminderDays: env.REVIEW_REMINDERS,
    compose: (mail, reviewKey) => composeDeskMail(mail, PLACE, reviewKey),
    log,
    later: (_work, ms) => {
      pauses.push(ms);
      return () => undefined;
    },
  });
  return {
    ...sender,
    pauses,
    round: async () => {
      sender.poke();
      await sender.idle();
    },
  };
}

type QueuedRow = Readonly<{ key: string; mail: string; state: string; attempts: number; dueAt: number }>;

/** The rows of the queue about a contribution, `dueAt` in seconds by the database's clock. */
export async function queued(server: TestServer, contribution: number): Promise<QueuedRow[]> {
  const sql = `select key, mail, state, attempts, extract(epoch from due_at)::float as "dueAt"
    from private.desk_mails where interview_id = $1 order by id`;
  return (await asOwner(server.databaseUrl, (client) => client.query(sql, [contribution]))).rows;
}

/** Seconds by the database's clock. */
export async function readClock(server: TestServer): Promise<number> {
  const sql = 'select extract(epoch from clock_timestamp())::float as now';
  return asOwner(server.databaseUrl, async (client) => (await client.query(sql)).rows[0].now);
}

/** Time passes, for every mail that waits or lies with somebody. */
export async function makeDue(server: TestServer): Promise<void> {
  await asOwner(server.databaseUrl, (client) =>
    client.query('update private.desk_mails set due_at = clock_timestamp()'),
  );
}

/** A contribution that is complete. */
export const COMPLETE = {
  transcript: 'x',
  firstName: 'Mira',
  lastName: 'Ö',
  email: 'mira@beispiel.test',
  origin: { area: 'firma-a', kind: 'interview', topic: 'tech-dive' },
} as const;

type MailDesk = Readonly<{
  mailServer: (script?: SmtpScript, port?: number) => Promise<SmtpServer>;
  sender: (smtp: Pick<SmtpServer, 'url'>, team?: readonly string[], pauseS?: number) => TestSender;
  /** A contribution with one mail to its contributor in the queue, and nothing else. */
  reviewed: (facts?: object) => Promise<number>;
  mailEvents: (id: number) => Promise<readonly unknown[]>;
}>;

/** What a file of tests needs; everything that a test opens is closed after it. */
export function mailDesk(of: () => Readonly<{ server: TestServer; ada: TestUser }>): MailDesk {
  let open: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const close of open.toReversed()) await close();
    open = [];
  });
  return {
    mailServer: async (script = {}, port = 0) => {
      const started = await startSmtpServer(script, { port });
      open.push(started.stop);
      return started;
    },
    sender: (smtp, team, pauseS) => {
      const made = senderOn(of().server, smtp.url, team, pauseS);
      open.push(made.stop);
      return made;
    },
    reviewed: async (facts = {}) => {
      const { server, ada } = of();
      const id = await contribute(server, { ...COMPLETE, ...facts });
      await change(ada.client, { id, version: 1, change: { state: 'for_review', text: 'Hallo Mira,\n\nbitte lies.' } });
      await asOwner(server.databaseUrl, (client) => client.query(`delete from private.desk_mails where mail = 'new'`));
      return id;
    },
    mailEvents: async (id) => (await look(of().ada.client, id)).events.filter(({ what }) => what === 'mail'),
  };
}

/** Says it the first time it is asked. */
export function once(reply: string): () => string | undefined {
  let said = false;
  return () => (said ? undefined : ((said = true), reply));
}

/**
 * Resolves when the server has written every mail of the desk. A round that failed leaves some for the next one: what
 * it had claimed is due at once. A worker that lost its claim that way sends nothing.
 */
export async function mailsWritten({
  deskMail,
  databaseUrl,
}: Pick<TestServer, 'deskMail' | 'databaseUrl'>): Promise<void> {
  const freeClaims = `update private.desk_mails set due_at = clock_timestamp() where state = 'claimed'`;
  const unsent = `select id from private.desk_mails where state in ('waiting', 'claimed', 'sending')`;
  await expect
    .poll(async () => {
      deskMail?.poke();
      await deskMail?.idle();
      await asOwner(databaseUrl, (client) => client.query(freeClaims));
      return (await asOwner(databaseUrl, (client) => client.query(unsent))).rows;
    })
    .toEqual([]);
}
