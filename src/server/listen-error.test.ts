import { createServer } from 'node:net';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { describeListenError } from './listen-error.ts';

const address = { host: '127.0.0.1', port: 3000 };

test('A taken port is said in words and names its setting', async () => {
  const first = createServer().listen(0, '127.0.0.1');
  await once(first, 'listening');
  const taken = first.address();
  const second = createServer().listen(typeof taken === 'object' ? (taken?.port ?? 0) : 0, '127.0.0.1');
  const error = await new Promise((resolve) => second.once('error', resolve));
  first.close();
  expect(String(describeListenError(error, address))).toBe(
    'Error: Port 3000 ist schon belegt. Beende das andere Programm, oder wähle einen anderen mit PORT.',
  );
});

test('An error of another kind stays as it is', () => {
  const error = new RangeError('provoked');
  expect(describeListenError(error, address)).toBe(error);
});
