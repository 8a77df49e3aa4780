import { PassThrough } from 'node:stream';
import pg from 'pg';
import { expect, test } from 'vitest';
import { encodeMessages, type Message } from './statement-packet.ts';

/** The bytes that the driver itself sends. */
function encodeByDriver(messages: readonly Message[]): Buffer {
  const stream = new PassThrough();
  const connection = new pg.Connection({ stream: () => stream });
  for (const message of messages) {
    if (message.kind === 'parse') connection.parse({ ...message, types: [] }, true);
    else if (message.kind === 'bind') connection.bind({ statement: message.name, values: [...message.values] }, true);
    else if (message.kind === 'close') connection.close({ type: 'S', name: message.name }, true);
    else if (message.kind === 'describe') connection.describe({ type: 'P' }, true);
    else if (message.kind === 'execute') connection.execute({}, true);
    else connection.sync();
  }
  return stream.read() as Buffer;
}

const bytes = Buffer.from([0, 255, 10]);

test.each<[string, readonly Message[]]>([
  [
    'a new statement with a name',
    [
      { kind: 'close', name: 'näme' },
      { kind: 'parse', name: 'n', text: 'select $1' },
    ],
  ],
  ['texts, bytes, nothing and an empty text', [{ kind: 'bind', name: 'n', values: ['ä€😀', bytes, null, ''] }]],
  ['no values and no name', [{ kind: 'bind', name: '', values: [] }]],
  ['half a character', [{ kind: 'bind', name: '', values: ['\uD83D'] }]],
  ['a large value', [{ kind: 'bind', name: '', values: ['ü'.repeat(100_000)] }]],
  ['more values than a signed number counts', [{ kind: 'bind', name: '', values: Array(40_000).fill('1') }]],
  ['more values than the protocol counts', [{ kind: 'bind', name: '', values: Array(70_000).fill(null) }]],
  [
    'a whole group',
    [{ kind: 'parse', name: '', text: 'ä' }, { kind: 'describe' }, { kind: 'execute' }, { kind: 'sync' }],
  ],
])('Encodes %s as the driver does', (_what, messages) => {
  expect(encodeMessages(messages)).toEqual(encodeByDriver(messages));
});
