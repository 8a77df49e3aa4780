import type { ChildProcess } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { becomesReady } from './becomes-ready.ts';

const child = new EventEmitter() as ChildProcess;
const sockets: Socket[] = [];
const READY = Buffer.from('R\0\0\0\u0008\0\0\0\0Z\0\0\0\u0005I', 'latin1');
/** Accepts and stays silent. */
const silent = createServer((socket) => void sockets.push(socket));
let url: string;
beforeEach(async () => {
  silent.listen(0, '127.0.0.1');
  await once(silent, 'listening');
  url = `postgres://postgres:x@127.0.0.1:${(silent.address() as AddressInfo).port}/postgres`;
});
afterEach(() => {
  vi.useRealTimers();
  for (const socket of sockets) socket.destroy();
  silent.close();
});

test('Waits until the deadline for one that accepts and stays silent', async () => {
  expect(await becomesReady(child, { url, deadline: performance.now() + 200 })).toBe(false);
});

test('Waits on where the clock is set forward meanwhile', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  silent.once('connection', (first: Socket) => {
    vi.setSystemTime(Date.now() + 3_600_000);
    first.destroy();
    silent.once('connection', (next: Socket) => void next.on('data', () => void next.write(READY)));
  });
  expect(await becomesReady(child, { url, deadline: performance.now() + 60_000 })).toBe(true);
});

test('Does not ask where the waiting has been ended', async () => {
  const deadline = performance.now() + 3_600_000;
  expect(await becomesReady(child, { url, deadline, signal: AbortSignal.abort() })).toBe(false);
});
