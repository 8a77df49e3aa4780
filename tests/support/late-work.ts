import fs from 'node:fs/promises';
import http from 'node:http';
import { syncBuiltinESMExports } from 'node:module';
import { Socket } from 'node:net';

/**
 * `LATE_WORK_MS=15 npx vitest run --project wire`: what the database and the disk answer, and what clients ask, comes
 * up to so many milliseconds later, at random and so in another order than on a machine with nothing else to do.
 */
const most = Number(process.env['LATE_WORK_MS']);
// Tests replace the clock.
const { setTimeout: plan } = globalThis;
const wait = (): Promise<void> => new Promise((resolve) => void plan(resolve, Math.random() ** 3 * most));

type Work = (this: object, ...args: unknown[]) => unknown;
type Emitting = { emit: (this: object, event: string | symbol, ...args: unknown[]) => boolean };

/** What has yet to be told: events about one thing stay in their order. */
const waiting = new WeakMap<object, Promise<void>>();

/** `findSubject`: what an event is about; undefined where it is not delayed. */
function delay(
  prototype: object,
  findSubject: (emitter: object, event: string | symbol, args: readonly unknown[]) => unknown,
): void {
  const emitting = prototype as Emitting;
  const { emit } = emitting;
  emitting.emit = function (event, ...args) {
    const subject = findSubject(this, event, args);
    if (typeof subject !== 'object' || subject === null) return emit.call(this, event, ...args);
    const before = waiting.get(subject) ?? Promise.resolve();
    waiting.set(
      subject,
      before.then(wait).then(() => void emit.call(this, event, ...args)),
    );
    return true;
  };
}

/** What goes to PostgreSQL leaves later, so its answer comes later. */
type Sending = { connect: Work; write: Work; end: Work };
const sockets = Socket.prototype as unknown as Sending;
const { connect } = sockets;
sockets.connect = function (...args) {
  // A path, options, or an array of options.
  const [options] = args.flat() as (string | { path?: string | null })[];
  const target = typeof options === 'object' ? options.path : options;
  if (String(target).includes('/.s.PGSQL.')) sendLater(this as Sending);
  return connect.apply(this, args);
};

function sendLater(socket: Sending): void {
  let sent = Promise.resolve();
  const { write, end } = socket;
  const later = (work: Work, args: readonly unknown[]): void => {
    sent = sent.then(wait).then(() => void work.apply(socket, [...args]));
  };
  Object.assign(socket, {
    write: (...args: unknown[]) => {
      later(write, args);
      return true;
    },
    end: (...args: unknown[]) => {
      later(end, args);
      return socket;
    },
  });
}

delay(http.Server.prototype, (_server, event, [request]) => (event === 'request' ? request : undefined));

const FILE_WORK = [
  'access',
  'link',
  'mkdir',
  'open',
  'readdir',
  'readFile',
  'rename',
  'rm',
  'stat',
  'unlink',
  'writeFile',
];
const files = fs as unknown as Record<string, Work>;
for (const name of FILE_WORK) {
  const work = files[name];
  if (work === undefined) throw new Error(`node:fs/promises has no ${name}`);
  files[name] = async (...args) => {
    await wait();
    return work.apply(files, args);
  };
}
syncBuiltinESMExports();
