import { expect, test } from 'vitest';
import { createJobQueue, type QueuedJob } from './queue.ts';

type Named = QueuedJob & Readonly<{ name: string }>;

const LIMITS = { jobs: 100, jobsOfCaller: 100, bytes: 1_000, turnBytes: 0 };

function makeJob(name: string, given: Partial<QueuedJob> = {}): Named {
  return { name, caller: name[0] ?? '', priority: 'recording', bytes: 1, onPlace: () => undefined, ...given };
}

/** Works on all jobs, one after the other. */
function drain(queue: ReturnType<typeof createJobQueue<Named>>): string[] {
  const order: string[] = [];
  for (let job = queue.next(); job !== undefined; job = queue.next()) {
    order.push(job.name);
    queue.remove(job);
  }
  return order;
}

test('Serves the callers in turn, however many jobs one has', () => {
  const queue = createJobQueue<Named>(LIMITS);
  for (const name of ['a1', 'a2', 'a3', 'b1', 'c1', 'b2']) queue.add(makeJob(name));
  expect(drain(queue)).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
});

test('Serves a new caller before one that was just served', () => {
  const queue = createJobQueue<Named>(LIMITS);
  for (const name of ['a1', 'a2', 'a3']) queue.add(makeJob(name));
  const first = queue.next();
  if (first !== undefined) queue.remove(first);
  queue.add(makeJob('b1'));
  expect(drain(queue)).toEqual(['b1', 'a2', 'a3']);
});

test('Puts turns of a conversation first and goes on with the recording that it left', () => {
  const queue = createJobQueue<Named>(LIMITS);
  queue.add(makeJob('a1'));
  queue.add(makeJob('b1'));
  expect(queue.next()?.name).toBe('a1');
  queue.add(makeJob('voice', { priority: 'turn' }));
  expect(drain(queue)).toEqual(['voice', 'a1', 'b1']);
});

test('Tells each waiting job its place when it changes, and not the one at work', () => {
  const queue = createJobQueue<Named>(LIMITS);
  const calls: string[] = [];
  const add = (name: string): void =>
    queue.add(makeJob(name, { onPlace: (place) => void calls.push(`${name}:${place}`) }));
  add('a1');
  const first = queue.next();
  add('b1');
  add('c1');
  if (first !== undefined) queue.remove(first);
  expect(calls).toEqual(['a1:1', 'b1:2', 'c1:3', 'b1:1', 'c1:2']);
});

test('Limits jobs of one caller, of all, and their bytes', () => {
  const queue = createJobQueue<Named>({ jobs: 3, jobsOfCaller: 2, bytes: 10, turnBytes: 0 });
  queue.add(makeJob('a1'));
  queue.add(makeJob('a2'));
  expect(() => queue.add(makeJob('a3'))).toThrow(expect.objectContaining({ code: 'rate_limited' }));
  expect(() => queue.add(makeJob('b1', { bytes: 9 }))).toThrow(expect.objectContaining({ code: 'queue_full' }));
  queue.add(makeJob('b1'));
  expect(() => queue.add(makeJob('c1'))).toThrow(expect.objectContaining({ code: 'queue_full' }));
});

test('Counts what is held beside the jobs, until it is released (threat 7)', () => {
  const queue = createJobQueue<Named>({ jobs: 3, jobsOfCaller: 2, bytes: 10, turnBytes: 0 });
  queue.add(makeJob('a1', { bytes: 4 }));
  const [segment, upload] = [queue.hold('turn'), queue.hold('recording')];
  segment.grow(2);
  upload.grow(3);
  expect(() => upload.grow(2)).toThrow(expect.objectContaining({ code: 'queue_full' }));
  expect(() => queue.add(makeJob('b1', { bytes: 2 }))).toThrow(expect.objectContaining({ code: 'queue_full' }));
  upload.release();
  upload.release();
  queue.add(makeJob('b1', { bytes: 4 }));
  expect(() => segment.grow(1)).toThrow(expect.objectContaining({ code: 'queue_full' }));
});

test('Leaves bytes to the turns of conversations, however much is being uploaded (threat 7)', () => {
  const queue = createJobQueue<Named>({ jobs: 9, jobsOfCaller: 9, bytes: 10, turnBytes: 3 });
  const upload = queue.hold('recording');
  upload.grow(7);
  const full = expect.objectContaining({ code: 'queue_full' });
  expect(() => upload.grow(1)).toThrow(full);
  expect(() => queue.add(makeJob('a1', { bytes: 1 }))).toThrow(full);
  queue.hold('turn').grow(2);
  queue.add(makeJob('b1', { bytes: 1, priority: 'turn' }));
  expect(() => queue.hold('turn').grow(1)).toThrow(full);
});
