import type { FastifyBaseLogger } from 'fastify';
import { getErrorCode } from '#lib/error-code.ts';
import { createWorker, type Later, type RoundResult, type Worker } from '#lib/worker.ts';
import { composeMessage, getAddress, parseMailbox, type Message } from './message.ts';
import { parseMailTime, type Outbox } from './outbox.ts';
import type { Attempt, Delivery, Transport } from './smtp.ts';

/** Sends single messages for a sender that keeps the state of each itself; none of them waits in the outbox. */
export type Mailer = Readonly<{
  /** Never rejects. */
  deliver: (message: Message, attempt: Attempt) => Promise<Delivery>;
}>;

type Log = Pick<FastifyBaseLogger, 'info' | 'warn' | 'error'>;

/** Without a mail server every message becomes a file. Written again at a second attempt, the file is the same one. */
export function folderMailer(outbox: Outbox, log: Log): Mailer {
  return {
    deliver: async (message) => {
      const addressed = checkMailboxes(message);
      if (addressed === undefined) return { result: 'refused' };
      try {
        log.info({ mail: await outbox.put(addressed) }, 'mail: written');
        return { result: 'sent' };
      } catch (error) {
        log.error({ mail: message.id, cause: getErrorCode(error) }, 'mail: not written');
        return { result: 'away' };
      }
    },
  };
}

export function smtpMailer(transport: Transport, from: string, log: Log): Mailer {
  return {
    deliver: async (message, attempt) => {
      const addressed = checkMailboxes(message);
      if (addressed === undefined) return { result: 'refused' };
      const content = await composeMessage(addressed, from);
      const delivery = await transport({ from: getAddress(from), to: addressed.to, content }, attempt);
      logDelivery(log, message.id, delivery);
      return delivery;
    },
  };
}

const LINES = {
  sent: ['info', 'mail: sent'],
  later: ['warn', 'mail: deferred'],
  away: ['warn', 'mail: server unreachable'],
  unsure: ['warn', 'mail: delivery unknown'],
  refused: ['error', 'mail: refused'],
} as const;

function logDelivery(log: Log, mail: string, { result, ...facts }: Delivery): void {
  const [level, line] = LINES[result];
  log[level]({ mail, ...facts }, line);
}

/** undefined where the recipient is no single mailbox. Such an address for answers is left out. */
function checkMailboxes(message: Message): Message | undefined {
  const to = parseMailbox(message.to);
  if (to === undefined) return undefined;
  return { ...message, to, replyTo: message.replyTo === undefined ? undefined : parseMailbox(message.replyTo) };
}

/** Brings the mails of an outbox to the mail server. */
export type OutboxWorker = Worker &
  Readonly<{
    /** Sets mails aside that an earlier run was sending, and begins with the others. */
    start: () => Promise<void>;
  }>;

type OutboxWorkerDeps = Readonly<{
  outbox: Outbox;
  transport: Transport;
  /** Whether a link still opens something: its account may be gone or locked, or a newer link sent (decision 0429). */
  isLinkOpen?: (token: string) => Promise<boolean>;
  log: Pick<FastifyBaseLogger, 'info' | 'warn' | 'error'>;
  /** Milliseconds since 1970. */
  now?: () => number;
  later?: Later;
}>;

const FIRST_PAUSE_MS = 5_000;
const LONGEST_PAUSE_MS = 5 * 60_000;
/** The links in the mails have expired by then. */
const LONGEST_WAIT_MS = 24 * 3_600_000;

/**
 * Sends one mail after the other, tries again with growing pauses while the server is away, and sends none twice: a
 * mail whose last byte went out without an answer is set aside (decision 0032).
 */
export function createOutboxWorker(deps: OutboxWorkerDeps): OutboxWorker {
  const { outbox, log, later } = deps;
  const worker = createWorker({
    round: (signal) => sendAll(deps, signal),
    onError: (error) => log.error({ cause: getErrorCode(error) }, 'mail: outbox or database out of reach'),
    retryMs: FIRST_PAUSE_MS,
    longestMs: LONGEST_PAUSE_MS,
    ...(later === undefined ? {} : { later }),
  });
  let started = false;
  return {
    ...worker,
    // A mail that is written before would be under way, and the start would set it aside.
    poke: () => {
      if (started) worker.poke();
    },
    start: async () => {
      for (const name of await outbox.list('sending')) {
        await outbox.move(name, 'sending', 'unsure');
        log.warn({ mail: name }, 'mail: server stopped while handing over, not sent again');
      }
      started = true;
      worker.poke();
    },
  };
}

/** A server that is away ends the round; a single mail that has to wait does not hold up the others. */
async function sendAll(deps: OutboxWorkerDeps, signal: AbortSignal): Promise<RoundResult> {
  let result: RoundResult = 'done';
  for (const name of await deps.outbox.list('eml')) {
    if (signal.aborted) return 'done';
    const outcome = await sendMail(deps, name, signal);
    if (outcome === 'away' || outcome === 'unsure') return 'retry';
    if (outcome === 'later') result = 'retry';
  }
  return result;
}

async function sendMail(
  { outbox, transport, isLinkOpen, log, now = Date.now }: OutboxWorkerDeps,
  name: string,
  signal: AbortSignal,
): Promise<Delivery['result']> {
  if (now() - parseMailTime(name) > LONGEST_WAIT_MS) {
    await outbox.move(name, 'eml', 'expired');
    log.error({ mail: name }, 'mail: expired after a day');
    return 'refused';
  }
  const mail = await outbox.read(name);
  if (mail === undefined) {
    await outbox.move(name, 'eml', 'failed');
    log.error({ mail: name }, 'mail: no sender or recipient');
    return 'refused';
  }
  if (mail.token !== undefined && (await isLinkOpen?.(mail.token)) === false) {
    await outbox.remove(name, 'eml');
    log.info({ mail: name }, 'mail: its link has ended, not sent');
    return 'refused';
  }
  let state: 'eml' | 'sending' = 'eml';
  const begin = async (): Promise<void> => {
    await outbox.move(name, 'eml', 'sending');
    state = 'sending';
  };
  const delivery = await transport(mail, { begin, signal });
  await note({ outbox, log }, { name, state, delivery });
  return delivery.result;
}

/** Moves the file of a mail that was tried to its new state. */
async function note(
  { outbox, log }: Pick<OutboxWorkerDeps, 'outbox' | 'log'>,
  { name, state, delivery }: Readonly<{ name: string; state: 'eml' | 'sending'; delivery: Delivery }>,
): Promise<void> {
  const { result } = delivery;
  if (result === 'sent') await outbox.remove(name, state);
  else if (result === 'refused') await outbox.move(name, state, 'failed');
  else if (result === 'unsure') await outbox.move(name, state, 'unsure');
  else if (state === 'sending') await outbox.move(name, 'sending', 'eml');
  logDelivery(log, name, delivery);
}
