import type { FastifyBaseLogger } from 'fastify';
import { getErrorCode } from '#lib/error-code.ts';
import { handOver, type Outcome as Handed } from './hand-over.ts';
import { envelopeOf, type OutboxFolder } from './outbox-folder.ts';
import type { Carry } from './smtp.ts';

/** Brings the mails of an outbox to their server. */
export type Courier = Readonly<{
  /** What an earlier run has left behind comes first. */
  start: () => Promise<void>;
  /** A new mail is there. */
  poke: () => void;
  /** Resolves when there is nothing to do at the moment. */
  idle: () => Promise<void>;
  /** Resolves when nothing is under way any more; what waits is for the next start. */
  stop: () => Promise<void>;
}>;

export type CourierDeps = Readonly<{
  outbox: OutboxFolder;
  carry: Carry;
  log: Pick<FastifyBaseLogger, 'info' | 'warn' | 'error'>;
  /** Milliseconds since 1970. */
  now?: () => number;
  /** Calls back later; returns the way to call it off. */
  later?: (work: () => void, ms: number) => () => void;
}>;

const FIRST_PAUSE_MS = 5_000;
const LONGEST_PAUSE_MS = 5 * 60_000;
/** The links in the mails are long over by then. */
const LONGEST_WAIT_MS = 24 * 3_600_000;

type Outcome = 'done' | 'later' | 'server-away';

/**
 * Sends one mail after the other, tries again with growing pauses while the server is away, and never sends one twice:
 * a mail whose last byte went out but whose receipt was never acknowledged is kept aside instead.
 */
export function createCourier({ outbox, carry, log, now = Date.now, later = timer }: CourierDeps): Courier {
  const stopped = new AbortController();
  let run: Promise<void> | undefined;
  let again = false;
  let pause = FIRST_PAUSE_MS;
  let callOff = (): void => undefined;

  const poke = (): void => {
    if (stopped.signal.aborted) return;
    again = true;
    run ??= work().finally(() => {
      run = undefined;
      // Told after the last look, before the end.
      if (again) poke();
    });
  };
  const work = async (): Promise<void> => {
    callOff();
    let outcome: Outcome = 'done';
    while (again && !stopped.signal.aborted) {
      again = false;
      outcome = await round().catch((error: unknown) => {
        log.error({ cause: getErrorCode(error) }, 'mail: the outbox cannot be worked on');
        return 'later' as const;
      });
    }
    if (outcome === 'done') pause = FIRST_PAUSE_MS;
    else {
      callOff = later(poke, pause);
      pause = Math.min(LONGEST_PAUSE_MS, pause * 2);
    }
  };
  const round = async (): Promise<Outcome> => {
    let worst: Outcome = 'done';
    for (const name of await outbox.list('eml')) {
      if (stopped.signal.aborted) return 'done';
      const outcome = await deliver({ outbox, carry, log, now }, name, stopped.signal);
      if (outcome === 'server-away') return outcome;
      if (outcome === 'later') worst = outcome;
    }
    return worst;
  };
  return {
    start: async () => {
      for (const name of await outbox.list('sending')) {
        await outbox.move(name, 'sending', 'unsure');
        log.warn({ mail: name }, 'mail: the server went down while it was handed over; it is not sent again');
      }
      poke();
    },
    poke,
    idle: async () => run,
    stop: async () => {
      stopped.abort();
      callOff();
      await run;
    },
  };
}

type Tools = Required<Pick<CourierDeps, 'outbox' | 'carry' | 'log' | 'now'>>;

async function deliver({ outbox, carry, log, now }: Tools, name: string, signal: AbortSignal): Promise<Outcome> {
  if (now() - timeOf(name) > LONGEST_WAIT_MS) {
    await outbox.move(name, 'eml', 'expired');
    log.error({ mail: name }, 'mail: no server took it for a day');
    return 'done';
  }
  const message = await outbox.read(name);
  const envelope = envelopeOf(message);
  if (envelope === undefined) {
    await outbox.move(name, 'eml', 'failed');
    log.error({ mail: name }, 'mail: no sender or recipient');
    return 'done';
  }
  const begin = (): Promise<void> => outbox.move(name, 'eml', 'sending');
  const outcome = await handOver(carry, { ...envelope, content: message }, { begin, signal });
  if (outcome.result === 'taken') {
    await outbox.remove(name, 'sending');
    log.info({ mail: name }, 'mail: sent');
    return 'done';
  }
  return afterFailure({ outbox, log }, name, outcome);
}

type Failure = Exclude<Handed, { result: 'taken' }>;

async function afterFailure(
  { outbox, log }: Pick<Tools, 'outbox' | 'log'>,
  name: string,
  failure: Failure,
): Promise<Outcome> {
  const begun = (await outbox.list('sending')).includes(name);
  const { result, ...facts } = { mail: name, ...failure };
  if (result === 'refused') {
    await outbox.move(name, begun ? 'sending' : 'eml', 'failed');
    log.error(facts, 'mail: refused for good');
    return 'done';
  }
  if (result === 'unsure') {
    await outbox.move(name, 'sending', 'unsure');
    log.warn(facts, 'mail: handed over, but nothing was answered; it is not sent again');
    return 'server-away';
  }
  if (begun) await outbox.move(name, 'sending', 'eml');
  log.warn(facts, 'mail: not sent yet');
  return result === 'away' ? 'server-away' : 'later';
}

/** When it was written: the name begins with it (2026-11-20T20-00-00-000Z_…). */
function timeOf(name: string): number {
  const [, day, hour, minute, second] = /^(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d)/.exec(name) ?? [];
  const time = Date.parse(`${day}T${hour}:${minute}:${second}Z`);
  return Number.isNaN(time) ? Number.POSITIVE_INFINITY : time;
}

function timer(work: () => void, ms: number): () => void {
  const handle = setTimeout(work, ms);
  return () => clearTimeout(handle);
}
