import type { FastifyBaseLogger } from 'fastify';
import { describeCause } from '#lib/error-code.ts';
import { digestSecret, newSecret } from '#lib/sealed.ts';
import { createWorker, type Later, type RoundResult, type Worker } from '#lib/worker.ts';
import type { Mailer } from './delivery.ts';
import type { DeskQueue, QueuedMail } from './desk-queue.ts';
import type { Message } from './message.ts';

type DeskMailWorkerDeps = Readonly<{
  queue: DeskQueue;
  mailer: Mailer;
  team: readonly string[];
  /** Seconds between two mails to the team about new contributions, or about answers to one contribution. */
  pauseS: number;
  /** Days after the last mail of kind `review` was sent; reminders do not start the count again. */
  reminderDays: readonly number[];
  /** Receipts that one address gets in a day; undefined: none are sent. */
  receiptsPerDay?: number | undefined;
  /** `reviewKey`: opens the review that the mail is about; undefined where it is about none. */
  compose: (mail: QueuedMail, reviewKey: string | undefined) => Message;
  log: Pick<FastifyBaseLogger, 'info' | 'warn' | 'error'>;
  later?: Later;
}>;

/** A hosted project cannot notify this server of a new row, so the queue is polled. */
const POLL_MS = 5_000;
const LONGEST_PAUSE_MS = 5 * 60_000;

/**
 * Sends the mails of the desk's queue, one after the other, with growing pauses while backend or mail server are away.
 * The database holds the pauses of a single mail.
 */
export function createDeskMailWorker(deps: DeskMailWorkerDeps): Worker {
  const { queue, team, pauseS, log, later } = deps;
  let opened = false;
  return createWorker({
    round: async (signal) => {
      if (!opened) {
        opened = await queue.open(team, pauseS);
        if (opened) await queue.allowReceipts(deps.receiptsPerDay);
      }
      if (opened) return sendAll(deps, signal);
      log.info('desk mails: off, because this backend has no desk');
      return 'off';
    },
    onError: (error) => log.warn({ cause: describeCause(error) }, 'desk mails: round failed, tried again later'),
    pollMs: POLL_MS,
    retryMs: 2 * POLL_MS,
    longestMs: LONGEST_PAUSE_MS,
    ...(later === undefined ? {} : { later }),
  });
}

async function sendAll(
  { queue, mailer, compose, reminderDays }: DeskMailWorkerDeps,
  signal: AbortSignal,
): Promise<RoundResult> {
  await queue.remind(reminderDays);
  while (!signal.aborted) {
    const mail = await queue.claim();
    if (mail === undefined) return 'done';
    // Made only now, so that no key waits anywhere; another attempt makes another one (decision 0243).
    const reviewKey = isReviewMail(mail) ? newSecret() : undefined;
    // Revokes the earlier link, also where this delivery then fails (decision 0243).
    if (reviewKey !== undefined && !(await queue.acceptReviewKey(mail, digestSecret(reviewKey)))) continue;
    const delivery = await mailer.deliver(compose(mail, reviewKey), { begin: () => queue.begin(mail), signal });
    await queue.recordDelivery(mail, delivery);
    if (delivery.result === 'away' || delivery.result === 'unsure') return 'retry';
  }
  return 'done';
}

function isReviewMail({ mail }: QueuedMail): boolean {
  return mail === 'review' || mail === 'review_reminder';
}
