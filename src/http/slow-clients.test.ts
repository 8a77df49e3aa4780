import { EventEmitter, once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { connect, createServer, type Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { afterEach, expect, test, vi } from 'vitest';
import { createAnswerWatch, createBodyWatch, limitBodies, parseSendQueues, readSendQueues } from './slow-clients.ts';

type FakeRequest = IncomingMessage & {
  ended: () => boolean;
  arrive: (bytes: number) => void;
  hold: (bytes: number) => void;
};

/** What the watch reads of a request, and nothing else. */
function fakeRequest(headers: Record<string, string>): FakeRequest {
  let ended = false;
  const socket = { bytesRead: 100, writable: true, write: () => true, destroySoon: () => (ended = true) };
  const request = Object.assign(new EventEmitter(), {
    headers,
    socket,
    readableLength: 0,
    complete: false,
    destroyed: false,
    ended: () => ended,
    arrive: (bytes: number) => void (socket.bytesRead += bytes),
    hold: (bytes: number) => void (request.readableLength = bytes),
  });
  return request as unknown as FakeRequest;
}

function startBodyWatch() {
  let time = 0;
  const watch = createBodyWatch({ silence: 60, body: 120 }, () => time);
  const pass = (ms: number): void => {
    time += ms;
    watch.sweep();
  };
  return { watch, pass };
}

const LONG = { 'content-length': '1000' };

test('Ends a request whose body stands still (decision 0120)', () => {
  const { watch, pass } = startBodyWatch();
  const request = fakeRequest(LONG);
  watch.add(request);
  pass(59);
  expect(request.ended()).toBe(false);
  pass(1);
  expect(request.ended()).toBe(true);
});

test('Ends a request whose body drips in for too long, unless it is a file', () => {
  const { watch, pass } = startBodyWatch();
  const [small, file] = [fakeRequest({ 'transfer-encoding': 'chunked' }), fakeRequest(LONG)];
  for (const request of [small, file]) watch.add(request);
  watch.allowFile(file);
  for (let round = 0; round < 10; round += 1) {
    for (const request of [small, file]) request.arrive(1);
    pass(30);
  }
  expect(small.ended()).toBe(true);
  expect(file.ended()).toBe(false);
});

test('Ends the bodies that hold the most for the longest, where all together hold too much, and no file', () => {
  const { watch, pass } = startBodyWatch();
  const [slow, fast, small, file] = [fakeRequest(LONG), fakeRequest(LONG), fakeRequest(LONG), fakeRequest(LONG)];
  for (const request of [slow, small, file]) watch.add(request);
  watch.allowFile(file);
  pass(10);
  watch.add(fast);
  pass(1);
  for (const [request, bytes] of [
    [slow, 500],
    [fast, 600],
    [small, 1],
    [file, 9_000],
  ] as const)
    request.arrive(bytes);
  watch.shed(1_101);
  expect([slow, fast, small, file].map((request) => request.ended())).toEqual([false, false, false, false]);
  watch.shed(1_100);
  expect([slow, fast, small, file].map((request) => request.ended())).toEqual([true, false, false, false]);
});

test('Ends the heaviest of five large bodies that have not ended, and no small one or file', () => {
  const { watch, pass } = startBodyWatch();
  const large = { 'content-length': String(8 * 1024 * 1024) };
  const requests = [LONG, large, large, large, large, large, large].map(fakeRequest);
  const file = requests.at(-1);
  for (const request of requests) watch.add(request);
  if (file !== undefined) watch.allowFile(file);
  pass(1);
  for (const [index, request] of requests.entries()) request.arrive(index === 3 ? 900 : 10);
  watch.makeRoom();
  expect(requests.map((request) => request.ended())).toEqual([false, false, false, true, false, false, false]);
});

test('Waits for a file as long as its bytes wait for the server', () => {
  const { watch, pass } = startBodyWatch();
  const file = fakeRequest(LONG);
  watch.add(file);
  watch.allowFile(file);
  file.hold(65_536);
  pass(1_000);
  expect(file.ended()).toBe(false);
  file.hold(0);
  pass(60);
  expect(file.ended()).toBe(true);
});

test('Forgets requests that are complete, and never watches those without a body', () => {
  const { watch, pass } = startBodyWatch();
  const [bare, complete] = [fakeRequest({}), fakeRequest(LONG)];
  for (const request of [bare, complete]) watch.add(request);
  complete.complete = true;
  pass(1_000);
  expect([bare.ended(), complete.ended()]).toEqual([false, false]);
});

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** Limits on an application whose checks come every 15 ms. */
function startLimits() {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  let time = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => time);
  const server = new EventEmitter();
  limitBodies({ server, addHook: () => undefined } as unknown as FastifyInstance, { silence: 60, body: 1_000 });
  return {
    add: (request: FakeRequest) => void server.emit('request', request),
    pass: (ms: number): void => {
      for (let passed = 0; passed < ms; passed += 15) {
        time += 15;
        vi.advanceTimersByTime(15);
      }
    },
    /** Makes the next check this much later than it should be. */
    block: (ms: number) => void (time += ms),
  };
}

test('Does not count the time in which the server was blocked', () => {
  const { add, pass, block } = startLimits();
  const [sending, silent] = [fakeRequest(LONG), fakeRequest(LONG)];
  for (const request of [sending, silent]) add(request);
  pass(45);
  block(500);
  pass(15);
  expect([sending.ended(), silent.ended()]).toEqual([false, false]);
  sending.arrive(1);
  pass(15);
  expect([sending.ended(), silent.ended()]).toEqual([false, true]);
});

/** What the watch reads of a connection and its answer, and nothing else. */
function fakeAnswer(waiting: number) {
  const state = { sent: 100, waiting, queued: 4_000, cut: false };
  const socket = {
    get bytesWritten() {
      return state.sent + state.waiting;
    },
    get writableLength() {
      return state.waiting;
    },
    resetAndDestroy: () => (state.cut = true),
  };
  const response = Object.defineProperty(new EventEmitter(), 'writableLength', { get: () => state.waiting });
  return { state, socket: socket as unknown as Socket, response: response as unknown as ServerResponse };
}

type FakeAnswer = ReturnType<typeof fakeAnswer>;

function startAnswerWatch(options: Readonly<{ blind?: boolean; whileReading?: () => void }> = {}) {
  let time = 0;
  const fakes: FakeAnswer[] = [];
  const queues = { of: (socket: Socket) => `${fakes.find((fake) => fake.socket === socket)?.state.queued}` };
  const watch = createAnswerWatch(
    30,
    () => time,
    async () => {
      options.whileReading?.();
      return options.blind === true ? undefined : queues;
    },
  );
  return {
    open: (waiting: number): FakeAnswer => {
      const fake = fakeAnswer(waiting);
      fakes.push(fake);
      watch.add({ socket: fake.socket } as IncomingMessage, fake.response);
      return fake;
    },
    /** Looks every 5 ms of so many. */
    pass: async (ms: number): Promise<void> => {
      for (const end = time + ms; time < end;) {
        time += 5;
        await watch.sweep();
      }
    },
  };
}

test('Cuts an answer of which nothing is taken (decision 0200)', async () => {
  const { open, pass } = startAnswerWatch();
  const { state } = open(5_000);
  await pass(30);
  expect(state.cut).toBe(false);
  await pass(15);
  expect(state.cut).toBe(true);
});

test('Goes on as long as bytes leave the process, however few', async () => {
  const { open, pass } = startAnswerWatch();
  const { state } = open(5_000);
  for (let round = 0; round < 10; round += 1) {
    state.sent += 1;
    state.waiting -= 1;
    await pass(25);
  }
  expect(state.cut).toBe(false);
});

test('Goes on while the system still sends what it took long ago', async () => {
  const { open, pass } = startAnswerWatch();
  const { state } = open(5_000);
  for (let round = 0; round < 10; round += 1) {
    state.queued -= 1;
    await pass(25);
  }
  expect(state.cut).toBe(false);
  await pass(40);
  expect(state.cut).toBe(true);
});

test('Leaves an answer alone that is still being made or has gone out', async () => {
  const { open, pass } = startAnswerWatch();
  const made = open(0);
  const gone = open(10);
  gone.response.emit('close');
  await pass(1_000);
  expect([made.state.cut, gone.state.cut]).toEqual([false, false]);
});

test.each([
  ['has gone out', ({ response }: FakeAnswer) => response.emit('close')],
  ['moves again', ({ state }: FakeAnswer) => void (state.sent += 1)],
])('Leaves an answer alone that %s while the queues are read', async (_, change) => {
  let whileReading = (): unknown => undefined;
  const { open, pass } = startAnswerWatch({ whileReading: () => void whileReading() });
  const answer = open(5_000);
  await pass(35);
  whileReading = () => change(answer);
  await pass(5);
  expect(answer.state.cut).toBe(false);
});

test('Waits longer where the system does not show its queues', async () => {
  const { open, pass } = startAnswerWatch({ blind: true });
  const { state } = open(5_000);
  await pass(145);
  expect(state.cut).toBe(false);
  await pass(15);
  expect(state.cut).toBe(true);
});

const TABLE = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 197 1 0000 100 0 0 10 0
   1: 0100007F:1F90 0100007F:D5A2 01 00317D00:00000000 01:00000014 00000000     0        0 198 2 0000 20 4 30 10 -1
  12: 0000000000000000FFFF00000100007F:1F90 0000000000000000FFFF00000200007F:D5A3 01 00000001:00000000 01:00000014`;

test('Reads what waits for the other side of a connection', () => {
  const queues = parseSendQueues(TABLE);
  const of = (localPort: number, remotePort: number) => queues.of({ localPort, remotePort } as Socket).trim();
  expect(of(0x1f90, 0xd5a2)).toBe('00317D00');
  expect(of(0x1f90, 0xd5a3)).toBe('00000001');
  expect(of(0x1f90, 1)).toBe('');
});

test.runIf(process.platform === 'linux')(
  'Finds bytes that the other side of a real connection does not read',
  async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const reader = connect(typeof address === 'object' ? (address?.port ?? 0) : 0, '127.0.0.1');
    const [socket] = (await once(server, 'connection')) as [Socket];
    reader.pause();
    socket.write(Buffer.alloc(64 * 1024 * 1024));
    await expect.poll(async () => Number.parseInt((await readSendQueues())?.of(socket) ?? '0', 16)).toBeGreaterThan(0);
    socket.destroy();
    reader.destroy();
    server.close();
  },
);
