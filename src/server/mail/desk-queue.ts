import type { PostgrestError, SupabaseClient } from '@supabase/supabase-js';
import type { FastifyBaseLogger } from 'fastify';
import { z } from 'zod';
import { DESK_MAILS } from '#contract/desk.ts';
import { CodedError, describeCause } from '#lib/error-code.ts';
import { digestSecret, newSecret } from '#lib/sealed.ts';
import { createWorker, type Later, type RoundResult, type Worker } from '#lib/worker.ts';
import { type BackendAddress, createBackendClient } from '../backend-client.ts';
import type { Mailer } from './delivery.ts';
import type { Message } from './message.ts';
import type { Delivery } from './smtp.ts';

const OtherSchema = z.object({ contribution: z.number(), area: z.string(), kind: z.string() });

const ReceivedSchema = z.object({
  /** Of the transcript. */
  words: z.number(),
  completedAt: z.coerce.date(),
  /** Files by kind. */
  files: z.record(z.string(), z.number()),
});
export type ReceivedFacts = Readonly<z.infer<typeof ReceivedSchema>>;

const QueuedMailSchema = z.object({
  id: z.number(),
  claim: z.string(),
  mail: z.enum(DESK_MAILS),
  messageId: z.string(),
  createdAt: z.coerce.date(),
  to: z.string(),
  replyTo: z.nullable(z.string()),
  contribution: z.number(),
  area: z.string(),
  kind: z.string(),
  topic: z.nullable(z.string()),
  contributor: z.string(),
  firstName: z.nullable(z.string()),
  /** `for_review`: what the team wrote. `published`: the link. */
  text: z.nullable(z.string()),
  /** Of the posts that wait for an answer; `review_answer`: of those that are to be changed. */
  channels: z.array(z.string()).default([]),
  /** Of the posts that their contributor declined since the mail was queued. */
  declined: z.array(z.string()).default([]),
  /** Of the published posts that their contributor withdrew. */
  withdrawn: z.array(z.string()).default([]),
  /** `receipt`: what arrived. */
  received: z.nullable(ReceivedSchema).default(null),
  /** `new`: how many contributions the mail is about, and some of those besides `contribution`. */
  count: z.number().default(1),
  others: z.array(OtherSchema).default([]),
});

/** A mail to send, with the facts of its text; this server holds it for two minutes or until its outcome is in. */
export type QueuedMail = Readonly<z.infer<typeof QueuedMailSchema>>;

/** `code` is the database's or the client's. */
class DeskQueueError extends CodedError {
  constructor(code: string) {
    super(code, `desk mail queue: ${code}`);
  }
}

const NO_SUCH_FUNCTION = 'PGRST202';
const TIMEOUT_MS = 10_000;

/**
 * The queue in the database (`private.desk_mails`). Every function throws DeskQueueError. `open` tells the database
 * that this server sends mails, and how often to the team; `false`: this backend has no desk.
 */
export function openDeskQueue(backend: BackendAddress, serviceKey: string) {
  const service = createBackendClient(backend, serviceKey);
  return {
    open: async (team: readonly string[], pauseS: number): Promise<boolean> => {
      const paused = await callFunction(service, 'desk_mail_set_pause', { seconds: pauseS });
      // A hosted project without that migration sends a mail for each contribution.
      expectDoneIfKnown(paused);
      const { error } = await callFunction(service, 'desk_mail_configure', { addresses: team });
      if (error === null) return true;
      if (error.code === NO_SUCH_FUNCTION) return false;
      throw new DeskQueueError(error.code);
    },
    // A hosted project without these migrations has neither receipts nor reviews.
    /** Tells the database how many receipts an address gets in a day; undefined: none are sent. */
    allowReceipts: async (perDay: number | undefined): Promise<void> =>
      expectDoneIfKnown(await callFunction(service, 'receipt_mail_configure', { per_day: perDay ?? null })),
    /** Queues the reminders that are due this many days after the last mail of kind `review` was sent. */
    remind: async (days: readonly number[]): Promise<void> => {
      if (days.length > 0) expectDoneIfKnown(await callFunction(service, 'review_remind', { days }));
    },
    /** Makes the key of this sha256 open the review of the mail. `false`: the mail is not to be sent. */
    acceptReviewKey: async ({ id, claim }: QueuedMail, hash: Buffer): Promise<boolean> =>
      expectData(await callFunction(service, 'review_mail_key', { id, claim, key_hash: hash.toString('hex') })) ===
      true,
    claim: async (): Promise<QueuedMail | undefined> => {
      const data = expectData(await callFunction(service, 'desk_mail_claim', {}));
      return data === null ? undefined : QueuedMailSchema.parse(data);
    },
    /** Throws where another server holds the mail by now. */
    begin: async ({ id, claim }: QueuedMail): Promise<void> => {
      if (expectData(await callFunction(service, 'desk_mail_begin', { id, claim })) !== true)
        throw new DeskQueueError('lost');
    },
    recordDelivery: async ({ id, claim }: QueuedMail, delivery: Delivery): Promise<void> => {
      const outcome = delivery.result === 'away' ? 'later' : delivery.result;
      const answer = 'answer' in delivery ? String(delivery.answer) : null;
      expectData(await callFunction(service, 'desk_mail_settle', { id, claim, outcome, answer }));
    },
  };
}

type Answer = Readonly<{ data: unknown; error: PostgrestError | null }>;

async function callFunction(service: SupabaseClient, name: string, args: object): Promise<Answer> {
  return service.rpc(name, args).abortSignal(AbortSignal.timeout(TIMEOUT_MS));
}

function expectData({ data, error }: Answer): unknown {
  if (error !== null) throw new DeskQueueError(error.code);
  return data;
}

function expectDoneIfKnown({ error }: Readonly<{ error: Readonly<{ code: string }> | null }>): void {
  if (error !== null && error.code !== NO_SUCH_FUNCTION) throw new DeskQueueError(error.code);
}

type DeskMailWorkerDeps = Readonly<{
  queue: ReturnType<typeof openDeskQueue>;
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
  let state: 'new' | 'off' | 'open' = 'new';
  return createWorker({
    round: async (signal) => {
      if (state !== 'open' && (await queue.open(team, pauseS))) {
        await queue.allowReceipts(deps.receiptsPerDay);
        state = 'open';
      }
      if (state === 'open') return sendAll(deps, signal);
      if (state === 'new') log.info('desk mails: off until this backend has a desk');
      state = 'off';
      return 'retry';
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
    const reviewKey = mail.mail === 'review' || mail.mail === 'review_reminder' ? newSecret() : undefined;
    // Revokes the earlier link, also where this delivery then fails (decision 0243).
    if (reviewKey !== undefined && !(await queue.acceptReviewKey(mail, digestSecret(reviewKey)))) continue;
    const delivery = await mailer.deliver(compose(mail, reviewKey), { begin: () => queue.begin(mail), signal });
    await queue.recordDelivery(mail, delivery);
    if (delivery.result === 'away' || delivery.result === 'unsure') return 'retry';
  }
  return 'done';
}
