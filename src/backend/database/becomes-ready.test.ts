import type { ChildProcess } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { becomesReady } from './becomes-ready.ts';

const child = new EventEmitter() as ChildProcess;
const sockets: Socket[] = [];
/** Accepts and stays silent. */
const silent = createServer((socket) => void sockets.push(socket));
let url: string;
beforeEach(async () => {
  silent.listen(0, '127.0.0.1');
  await once(silent, 'listening');
  url = `postgres://postgres:x@127.0.0.1:${(silent.address() as AddressInfo).port}/postgres`;
});
afterEach(() => {
  for (const socket of sockets) socket.destroy();
  silent.close();
});

test('Waits until the deadline for one that accepts and stays silent', async () => {
  expect(await becomesReady(child, { url, deadline: Date.now() + 200 })).toBe(false);
});

test('Does not ask where the waiting has been ended', async () => {
  const deadline = Date.now() + 3_600_000;
  expect(await becomesReady(child, { url, deadline, signal: AbortSignal.abort() })).toBe(false);
});
