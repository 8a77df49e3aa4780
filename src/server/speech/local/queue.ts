import { SpeechError } from '../errors.ts';

export type QueuedJob = Readonly<{
  caller: string;
  priority: 'turn' | 'recording';
  bytes: number;
  /** Called with the place among all, 1 being next, whenever it changes. */
  onPlace: (place: number) => void;
}>;

/** `turnBytes`: the part of `bytes` that recordings leave to turns. */
export type QueueLimits = Readonly<{ jobs: number; jobsOfCaller: number; bytes: number; turnBytes: number }>;

const MEBIBYTE = 1024 * 1024;
/** What waits lies in memory, also recordings that still arrive and turns that wait for the one before. */
const QUEUE_LIMITS: QueueLimits = {
  jobs: 100,
  jobsOfCaller: 3,
  bytes: 256 * MEBIBYTE,
  turnBytes: 32 * MEBIBYTE,
};
const RETRY_AFTER_S = 60;

export type Held = Readonly<{
  /** Throws SpeechError `queue_full` where all bytes are too many. */
  grow: (bytes: number) => void;
  release: () => void;
}>;

/**
 * Orders the jobs: turns of a conversation first, else the caller who was not served for the longest time. `next` is
 * the job to work on now; it stays in the queue until it is removed.
 */
export function createJobQueue<Job extends QueuedJob>(limits: QueueLimits = QUEUE_LIMITS) {
  const waiting: Job[] = [];
  const places = createPlaces();
  /** When each caller was served last, as a running number. */
  const served = new Map<string, number>();
  let serving = 0;
  let started: Job | undefined;
  const others = createHeldBytes((bytes, priority) => checkBytes(waiting, bytes, priority, limits));

  const order = (): Job[] => {
    const recordings = waiting.filter((job) => job.priority === 'recording' && job !== started);
    const current = started === undefined || started.priority === 'turn' ? [] : [started];
    return [...waiting.filter(({ priority }) => priority === 'turn'), ...current, ...orderFairly(recordings, served)];
  };
  const reportPlaces = (): void => places.report(order(), started);
  return {
    add: (job: Job): void => {
      checkRoom(waiting, job, others.bytes(), limits);
      waiting.push(job);
      reportPlaces();
    },
    next: (): Job | undefined => {
      const [job] = order();
      if (job?.priority === 'recording' && job !== started) {
        started = job;
        served.set(job.caller, (serving += 1));
      }
      return job;
    },
    remove: (job: Job): void => {
      waiting.splice(0, waiting.length, ...waiting.filter((other) => other !== job));
      places.forget(job);
      if (started === job) started = undefined;
      if (waiting.length === 0) served.clear();
      reportPlaces();
    },
    size: (): number => waiting.length,
    hold: others.hold,
  };
}

/** Bytes that lie in memory without being a job. `check` throws where that many are too many. */
function createHeldBytes(check: (bytes: number, priority: QueuedJob['priority']) => void) {
  let held = 0;
  return {
    bytes: (): number => held,
    hold: (priority: QueuedJob['priority']): Held => {
      let own = 0;
      return {
        grow: (bytes) => {
          check(held + bytes, priority);
          held += bytes;
          own += bytes;
        },
        release: () => {
          held -= own;
          own = 0;
        },
      };
    },
  };
}

/** Tells each job its place when it changes, but not the one at work. */
function createPlaces() {
  const places = new Map<QueuedJob, number>();
  return {
    report: (ordered: readonly QueuedJob[], started: QueuedJob | undefined): void =>
      ordered.forEach((job, index) => {
        if (job === started || places.get(job) === index + 1) return;
        places.set(job, index + 1);
        job.onPlace(index + 1);
      }),
    forget: (job: QueuedJob): void => void places.delete(job),
  };
}

/** Throws SpeechError `rate_limited` for a caller with enough jobs, `queue_full` where all are too many. */
function checkRoom(waiting: readonly QueuedJob[], job: QueuedJob, others: number, limits: QueueLimits): void {
  const ofCaller = waiting.filter(({ caller }) => caller === job.caller).length;
  if (ofCaller >= limits.jobsOfCaller) throw new SpeechError('rate_limited', { retryAfterS: RETRY_AFTER_S });
  if (waiting.length >= limits.jobs) throw new SpeechError('queue_full', { retryAfterS: RETRY_AFTER_S });
  checkBytes(waiting, others + job.bytes, job.priority, limits);
}

function checkBytes(
  waiting: readonly QueuedJob[],
  others: number,
  priority: QueuedJob['priority'],
  limits: QueueLimits,
): void {
  const bytes = waiting.reduce((sum, job) => sum + job.bytes, others);
  if (bytes > limits.bytes - (priority === 'turn' ? 0 : limits.turnBytes))
    throw new SpeechError('queue_full', { retryAfterS: RETRY_AFTER_S });
}

/** Takes one job of each caller in turn, the callers served longest ago first, each caller's jobs as they came. */
function orderFairly<Job extends QueuedJob>(jobs: readonly Job[], served: ReadonlyMap<string, number>): Job[] {
  const rounds = new Map<string, number>();
  return jobs
    .map((job) => {
      const round = rounds.get(job.caller) ?? 0;
      rounds.set(job.caller, round + 1);
      return { job, round, last: served.get(job.caller) ?? 0 };
    })
    .toSorted((a, b) => a.round - b.round || a.last - b.last)
    .map(({ job }) => job);
}
