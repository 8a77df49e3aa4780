import { setTimeout as wait } from 'node:timers/promises';
import { inParallel, type Attack } from '../attack.ts';
import { getStatus, openRaw, type RawSocket } from '../client.ts';
import type { Tally } from '../tally.ts';
import type { Target } from '../target.ts';

const MEBIBYTE = 1024 * 1024;
/** Each is a megabyte of parts as small as its format allows, three times. */
const SMALL_PARTS: readonly (readonly [type: string, body: string])[] = [
  ['application/x-www-form-urlencoded', 'a&'.repeat(MEBIBYTE / 2)],
  ['text/csv', `a\n${'\n'.repeat(MEBIBYTE)}`],
  ['application/json', `[${'{},'.repeat(MEBIBYTE / 3)}{}]`],
];
const BODIES = 3 * SMALL_PARTS.length;
const CONNECTIONS = 40;
const ANNOUNCED_BYTES = 10 * MEBIBYTE;
const SENT_AT_ONCE = Buffer.alloc(9 * MEBIBYTE, '1');
const DRIP_MS = 500;
const PATIENCE_MS = 15_000;
/** `cut`: the refusal was lost with the connection, on which the rest of the body was still arriving. */
const REFUSALS = new Set<number | string>([413, 503, 'cut']);

/** Without a login: bodies that cost far more than their size, and bodies that never end and so stay in memory. */
export const largeBodies: Attack = {
  name: 'large-bodies',
  about: `${BODIES} forms, CSV and JSON of 1 MB in small parts; ${CONNECTIONS} bodies of 10 MB that drip after their first 9`,
  arrange: () => {
    const sockets: RawSocket[] = [];
    const drip = setInterval(() => sockets.forEach(({ socket }) => socket.writable && socket.write('1')), DRIP_MS);
    return {
      run: async (target, tally) => {
        await inParallel(BODIES, 3, async (index) => sendSmallParts(target, tally, index));
        await inParallel(CONNECTIONS, 10, async () => {
          const raw = await openRaw(target.url, announce(target.guest()));
          sockets.push(raw);
          raw.socket.write(SENT_AT_ONCE);
        });
        await wait(PATIENCE_MS);
        for (const status of sockets.map(getStatus)) tally.count(status);
        const taken = sockets.map(getStatus).filter((status) => status !== 'open' && !REFUSALS.has(status));
        if (taken.length > 0) tally.fail(`bodies answered ${[...new Set(taken)].join(', ')}`);
      },
      close: () => {
        clearInterval(drip);
        sockets.forEach(({ socket }) => socket.destroy());
      },
    };
  },
};

async function sendSmallParts(target: Target, tally: Tally, index: number): Promise<void> {
  const [type, body] = SMALL_PARTS[index % SMALL_PARTS.length] ?? ['', ''];
  const headers = { ...target.guest(), 'content-type': type };
  const { status } = await target.call({ method: 'POST', path: '/rest/v1/interviews', headers, body });
  tally.count(status);
  if (status !== 413) tally.fail(`${type} answered ${status}`);
}

function announce(headers: Readonly<Record<string, string>>): string {
  const lines = { host: '127.0.0.1', ...headers, 'content-type': 'application/json' };
  return [
    'POST /rest/v1/nothing HTTP/1.1',
    ...Object.entries(lines).map(([name, value]) => `${name}: ${value}`),
    `content-length: ${ANNOUNCED_BYTES}`,
    '',
    '',
  ].join('\r\n');
}
