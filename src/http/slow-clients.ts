import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The body is a file: it may take any time as long as bytes arrive. */
    fileBody?: boolean;
  }
}

export const FILE_BODY = { config: { fileBody: true } } as const;

/** ms. `silence`: no byte arrives; `body`: the whole body of a request that brings no file. */
type BodyTimes = Readonly<{ silence: number; body: number }>;

/** `begun`, `bytes`: what the connection had read when the request began, and at the last sweep. */
type WatchedBody = { since: number; begun: number; bytes: number; movedAt: number };

const BODY_CHECKS_A_LIMIT = 4;
/** Of bodies that are read into memory and have not ended: those of files go on to the disk. */
const UNFINISHED_BYTES = 64 * 1024 * 1024;
const SHED_MS = 100;
/** Larger ones bring only many rows at once. A fast client sends one between two checks. */
const LARGE_BYTES = 4 * 1024 * 1024;
const LARGE_AT_ONCE = 4;
/** A check that is late by this factor of its period means that the server was blocked. */
const LATE_FACTOR = 2;

/**
 * Ends requests whose body stops arriving. Node's `requestTimeout` counts the whole request, which would end large
 * files on slow lines as well.
 */
export function limitBodies(app: FastifyInstance, times: BodyTimes): void {
  const watch = createBodyWatch(times, () => performance.now());
  // On the server itself, so that requests outside of any route count as well.
  app.server.on('request', (request) => watch.add(request));
  app.addHook('onRequest', async (request) => {
    if (request.routeOptions.config.fileBody === true) watch.allowFile(request.raw);
    else if (getLength(request.raw) >= LARGE_BYTES) watch.makeRoom();
  });
  checkEvery(app, Math.min(times.silence, times.body) / BODY_CHECKS_A_LIMIT, watch.sweep);
  const shedding = setInterval(() => watch.shed(UNFINISHED_BYTES), SHED_MS).unref();
  app.addHook('onClose', async () => clearInterval(shedding));
}

/** Not where the server was blocked: what clients did meanwhile is not read yet, so silence shows at the next check. */
function checkEvery(app: FastifyInstance, period: number, check: () => void): void {
  let checkedAt = performance.now();
  const timer = setInterval(() => {
    const passed = performance.now() - checkedAt;
    checkedAt += passed;
    if (passed <= period * LATE_FACTOR) check();
  }, period).unref();
  app.addHook('onClose', async () => clearInterval(timer));
}

/** `sweep` ends the requests whose time is up; `allowFile` lifts the limit on the whole body. */
export function createBodyWatch(times: BodyTimes, now: () => number) {
  const watched = new Map<IncomingMessage, WatchedBody>();
  const files = new WeakSet<IncomingMessage>();
  const isLate = (request: IncomingMessage, entry: WatchedBody): boolean => {
    const { bytesRead } = request.socket;
    // Bytes that wait to be read are this server's delay, not the client's.
    if (bytesRead !== entry.bytes || request.readableLength > 0) {
      entry.bytes = bytesRead;
      entry.movedAt = now();
    }
    if (now() - entry.movedAt >= times.silence) return true;
    return !files.has(request) && now() - entry.since >= times.body;
  };
  const shedOne = ({ request }: Holder): void => {
    endRequest(request, BUSY);
    watched.delete(request);
  };
  return {
    add: (request: IncomingMessage): void => {
      if (!bringsBody(request)) return;
      const { bytesRead } = request.socket;
      watched.set(request, { since: now(), begun: bytesRead, bytes: bytesRead, movedAt: now() });
      request.once('close', () => watched.delete(request));
    },
    allowFile: (request: IncomingMessage) => void files.add(request),
    sweep: (): void => {
      for (const [request, entry] of watched) {
        if (request.complete || request.destroyed) watched.delete(request);
        else if (isLate(request, entry)) endRequest(request, TIMEOUT);
      }
    },
    /** Where unfinished bodies hold more than `bytes`, ends those that have held the most for the longest time. */
    shed: (bytes: number): void => listBeyond(listHolders(watched, files, now()), bytes).forEach(shedOne),
    /** A body that is read into memory begins: where too many large ones have not ended, the heaviest one ends. */
    makeRoom: (): void => {
      const large = listHolders(watched, files, now()).filter(({ request }) => getLength(request) >= LARGE_BYTES);
      large.slice(0, Math.max(0, large.length - LARGE_AT_ONCE)).forEach(shedOne);
    },
  };
}

type Holder = Readonly<{ request: IncomingMessage; held: number }>;

/** The first ones, until the others hold no more than `bytes`. */
function listBeyond(holders: readonly Holder[], bytes: number): readonly Holder[] {
  let total = holders.reduce((sum, { held }) => sum + held, 0);
  return holders.filter(({ held }) => {
    const beyond = total > bytes;
    if (beyond) total -= held;
    return beyond;
  });
}

/** Unfinished bodies in memory; those that have held the most for the longest time come first. */
function listHolders(
  watched: ReadonlyMap<IncomingMessage, WatchedBody>,
  files: WeakSet<IncomingMessage>,
  at: number,
): readonly Holder[] {
  return [...watched]
    .filter(([request]) => !files.has(request) && !request.complete && !request.destroyed)
    .map(([request, { since, begun }]) => {
      const held = request.socket.bytesRead - begun;
      return { request, held, weight: held * (at - since) };
    })
    .toSorted((one, other) => other.weight - one.weight);
}

function bringsBody(request: IncomingMessage): boolean {
  return request.headers['transfer-encoding'] !== undefined || getLength(request) > 0;
}

function getLength({ headers }: IncomingMessage): number {
  return Number(headers['content-length'] ?? 0);
}

const TIMEOUT = '408 Request Timeout';
const BUSY = '503 Service Unavailable\r\nRetry-After: 2';

/** As Node itself ends a request whose header is late. */
function endRequest({ socket }: IncomingMessage, status: string): void {
  if (socket.writable) socket.write(`HTTP/1.1 ${status}\r\nConnection: close\r\n\r\n`);
  socket.destroySoon();
}

type WatchedAnswer = {
  socket: Socket;
  /** Bytes that left this process. */
  sent: number;
  /** The system's queue of bytes that the client has not taken. */
  queued: string | undefined;
  movedAt: number;
};

const ANSWER_CHECKS_A_LIMIT = 6;
/**
 * The system takes megabytes ahead of the client. Where it does not show its queue, progress is visible only that
 * rarely.
 */
const BLIND_FACTOR = 5;

/**
 * Ends connections whose client takes no byte of an answer for `silence` ms, because the answer stays in memory and a
 * file stays open. Slow readers and connections without an answer stay.
 */
export function cutUnreadAnswers(app: FastifyInstance, silence: number): void {
  const watch = createAnswerWatch(silence, () => performance.now(), readSendQueues);
  // On the server itself, so that answers outside of any route count as well.
  app.server.on('request', (request, response) => watch.add(request, response));
  const sweep = async (): Promise<void> => {
    const cut = await watch.sweep();
    if (cut > 0) app.log.info({ connections: cut }, 'answers not read, connections cut');
  };
  checkEvery(app, silence / ANSWER_CHECKS_A_LIMIT, () => void sweep());
}

/** `sweep` ends the connections whose clients take nothing, and resolves with their number. */
export function createAnswerWatch(
  silence: number,
  now: () => number,
  readQueues: () => Promise<SendQueues | undefined>,
) {
  const watched = new Map<ServerResponse, WatchedAnswer>();

  /** Whether bytes wait and none left this process since the last time. */
  function standsStill(response: ServerResponse, entry: WatchedAnswer): boolean {
    const sent = entry.socket.bytesWritten - entry.socket.writableLength;
    if (response.writableLength > 0 && sent === entry.sent) return true;
    Object.assign(entry, { sent, queued: undefined, movedAt: now() });
    return false;
  }

  function isLate(entry: WatchedAnswer, queues: SendQueues | undefined): boolean {
    const queued = queues?.of(entry.socket);
    if (queues !== undefined && queued !== entry.queued) Object.assign(entry, { queued, movedAt: now() });
    return now() - entry.movedAt >= (queues === undefined ? silence * BLIND_FACTOR : silence);
  }

  return {
    add: (request: IncomingMessage, response: ServerResponse): void => {
      const { socket } = request;
      watched.set(response, { socket, sent: 0, queued: undefined, movedAt: now() });
      response.once('close', () => watched.delete(response));
    },
    sweep: async (): Promise<number> => {
      const still = [...watched].filter(([response, entry]) => standsStill(response, entry));
      if (still.length === 0) return 0;
      const queues = await readQueues();
      // Meanwhile an answer may have gone out, and its connection may carry the next one.
      const waiting = still.filter(([response, entry]) => watched.has(response) && standsStill(response, entry));
      const late = new Set(waiting.filter(([, entry]) => isLate(entry, queues)).map(([, { socket }]) => socket));
      // A reset, because an orderly end leaves the unread bytes in the system's memory.
      for (const socket of late) socket.resetAndDestroy();
      return late.size;
    },
  };
}

/** Bytes in the system's send queue of each connection, which the other side has not acknowledged. */
type SendQueues = Readonly<{ of: (socket: Socket) => string }>;

/** IPv4, then IPv6, where Linux lists its connections. */
const TABLES = ['/proc/net/tcp', '/proc/net/tcp6'];
/** `  0: 0100007F:1F90 0100007F:D5A2 01 00317D00:00000000 …`: number, local, remote, state, queues. */
const ROW = /^\s*\d+: [\dA-F]+:([\dA-F]{4}) [\dA-F]+:([\dA-F]{4}) [\dA-F]{2} ([\dA-F]{8}):/gm;

/** Undefined where the system does not show its queues. */
export async function readSendQueues(): Promise<SendQueues | undefined> {
  const texts = await Promise.all(TABLES.map((file) => readFile(file, 'latin1').catch(() => '')));
  return texts.every((text) => text === '') ? undefined : parseSendQueues(texts.join('\n'));
}

/** Connections of the same two ports share an entry: each of them moves it. */
export function parseSendQueues(text: string): SendQueues {
  const queues = new Map<string, string>();
  for (const [, local, remote, queue] of text.matchAll(ROW)) {
    const ports = `${Number.parseInt(local ?? '', 16)} ${Number.parseInt(remote ?? '', 16)}`;
    queues.set(ports, `${queues.get(ports) ?? ''} ${queue}`);
  }
  return { of: ({ localPort, remotePort }) => queues.get(`${localPort} ${remotePort}`) ?? '' };
}
