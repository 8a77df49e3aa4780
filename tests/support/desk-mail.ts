import { pino } from 'pino';
import { createSender, type DeskMail } from '#server/desk-mail/sender.ts';
import { letterOf } from '#server/desk-mail/letter.ts';
import { openQueue } from '#server/desk-mail/queue.ts';
import { readEnv } from '#server/env.ts';
import { openPost } from '#server/mail/index.ts';
import type { TestServer } from './boot.ts';
import { asOwner } from './callers.ts';

export type TestSender = DeskMail &
  Readonly<{
    /** Pauses it wanted, in ms; none of them ends by itself. */
    pauses: readonly number[];
    /** Sends what is due; resolves when there is nothing left to do. */
    round: () => Promise<void>;
  }>;

const PLACE = { origin: 'https://beitraege.test', product: 'Assistent' };

/** A sender of its own on that server's queue, as another server would have one. */
export function senderOn(server: TestServer, smtpUrl: string, team: readonly string[] = []): TestSender {
  const pauses: number[] = [];
  const log = pino({ level: 'silent' });
  const env = readEnv({ SMTP_URL: smtpUrl, MAIL_FROM: 'Redaktion <post@haus.test>', DATA_DIR: server.dataDir });
  const sender = createSender({
    queue: openQueue(server.url, server.backend.keys.secretKey),
    post: openPost(env, log),
    team,
    letterOf: (mail) => letterOf(mail, PLACE),
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

export type QueuedRow = Readonly<{ key: string; mail: string; state: string; attempts: number; wait: number }>;

/** The rows of the queue about a contribution, `wait` in seconds from now on. */
export async function queued(server: TestServer, contribution: number): Promise<QueuedRow[]> {
  const sql = `select key, mail, state, attempts, extract(epoch from due_at - clock_timestamp())::float as wait
    from private.desk_mails where interview_id = $1 order by id`;
  return (await asOwner(server.databaseUrl, (client) => client.query(sql, [contribution]))).rows;
}

/** Time passes, for every mail that waits or lies with somebody. */
export async function makeDue(server: TestServer): Promise<void> {
  await asOwner(server.databaseUrl, (client) =>
    client.query('update private.desk_mails set due_at = clock_timestamp()'),
  );
}
