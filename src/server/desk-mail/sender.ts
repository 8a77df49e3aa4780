import type { FastifyBaseLogger } from 'fastify';
import type { Letter, Post } from '../post.ts';
import { QueueFailure, type QueuedMail, type Queue } from './queue.ts';

/** Takes mails out of the queue and sends them, as long as the server runs. */
export type DeskMail = Readonly<{
  /** Looks now, and from then on every few seconds. */
  poke: () => void;
  /** Resolves when there is nothing to do at the moment. */
  idle: () => Promise<void>;
  /** Resolves when nothing is under way any more; what waits is for the next start. */
  stop: () => Promise<void>;
}>;

export type SenderDeps = Readonly<{
  queue: Queue;
  post: Post;
  team: readonly string[];
  /** Seconds between two mails to the team about new contributions. */
  pauseS: number;
  letterOf: (mail: QueuedMail) => Letter;
  log: Pick<FastifyBaseLogger, 'info' | 'warn' | 'error'>;
  /** Calls back later; returns the way to call it off. */
  later?: (work: () => void, ms: number) => () => void;
}>;

/** There is no bell for a new row that a hosted project could ring, so the queue is asked. */
export const ROUND_MS = 5_000;
const LONGEST_PAUSE_MS = 5 * 60_000;

/** `away`: mail server or backend do not answer, so the rest is not even tried. `off`: this backend has no desk. */
type Outcome = 'done' | 'away' | 'off';

/** One mail after the other; growing pauses while somebody does not answer. Each mail has pauses of its own in the database. */
export function createSender({ queue, post, team, pauseS, letterOf, log, later = timer }: SenderDeps): DeskMail {
  const stopped = new AbortController();
  let opened = false;
  let again = false;
  let pause = ROUND_MS;
  let run: Promise<void> | undefined;
  let callOff = (): void => undefined;

  const poke = (): void => {
    if (stopped.signal.aborted) return;
    again = true;
    run ??= work().finally(() => {
      run = undefined;
      if (again) poke();
    });
  };
  const work = async (): Promise<void> => {
    callOff();
    again = false;
    const outcome = await round().catch((error: unknown): Outcome => {
      log.warn(
        { cause: error instanceof QueueFailure ? error.code : nameOf(error) },
        'desk mails: the queue does not answer',
      );
      return 'away';
    });
    if (stopped.signal.aborted || outcome === 'off') return;
    pause = outcome === 'done' ? ROUND_MS : Math.min(LONGEST_PAUSE_MS, pause * 2);
    callOff = later(poke, pause);
  };
  const round = async (): Promise<Outcome> => {
    opened ||= await queue.open(team, pauseS);
    if (!opened) {
      log.info('desk mails: this backend has no desk, so there is nothing to send');
      return 'off';
    }
    while (!stopped.signal.aborted) {
      const mail = await queue.claim();
      if (mail === undefined) return 'done';
      const delivery = await post.deliver(letterOf(mail), () => queue.begin(mail), stopped.signal);
      await queue.settle(mail, delivery);
      if (delivery.result === 'away') return 'away';
    }
    return 'done';
  };
  return {
    poke,
    idle: async () => run,
    stop: async () => {
      stopped.abort();
      callOff();
      await run;
    },
  };
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : 'unknown';
}

function timer(work: () => void, ms: number): () => void {
  const handle = setTimeout(work, ms);
  return () => clearTimeout(handle);
}
