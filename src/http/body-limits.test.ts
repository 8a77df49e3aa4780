import type { IncomingMessage } from 'node:http';
import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import { createBodyWatch } from './body-limits.ts';

type Fake = IncomingMessage & { ended: () => boolean; arrive: (bytes: number) => void; hold: (bytes: number) => void };

/** What the watch reads of a request, and nothing else. */
function fakeRequest(headers: Record<string, string>): Fake {
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
  return request as unknown as Fake;
}

function start() {
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
  const { watch, pass } = start();
  const request = fakeRequest(LONG);
  watch.add(request);
  pass(59);
  expect(request.ended()).toBe(false);
  pass(1);
  expect(request.ended()).toBe(true);
});

test('Ends a request whose body drips in for too long, unless it is a file', () => {
  const { watch, pass } = start();
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

test('Waits for a file as long as its bytes wait for the server', () => {
  const { watch, pass } = start();
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
  const { watch, pass } = start();
  const [bare, complete] = [fakeRequest({}), fakeRequest(LONG)];
  for (const request of [bare, complete]) watch.add(request);
  complete.complete = true;
  pass(1_000);
  expect([bare.ended(), complete.ended()]).toEqual([false, false]);
});
