import { setTimeout as wait } from 'node:timers/promises';
import { inParallel, type Attack } from '../attack.ts';
import { openRaw, getStatus, type RawSocket } from '../client.ts';

const SOCKETS = 1_000;
const PATHS = ['/rest/v1/interviews', '/auth/v1/token?grant_type=password', '/v1/desk/tickets', '/v1/convai/ticket'];
/** Every tenth stops within its head. */
const HALF_HEADS = 10;
const PATIENCE_MS = 100_000;

/** Each request announces more than it ever sends. */
export const halfRequests: Attack = {
  name: 'half-requests',
  about: '1,000 POSTs that never send the rest of their body or head',
  limitMs: PATIENCE_MS + 30_000,
  arrange: () => {
    const sockets: RawSocket[] = [];
    return {
      run: async (target, tally) => {
        const { apikey = '' } = target.guest();
        await inParallel(SOCKETS, 50, async (index) => {
          const text = halfPost(PATHS[index % PATHS.length] ?? '/', apikey);
          sockets.push(await openRaw(target.url, index % HALF_HEADS === 0 ? text.slice(0, 60) : text));
        });
        const end = performance.now() + PATIENCE_MS;
        while (performance.now() < end && sockets.some((raw) => !raw.isClosed())) await wait(100);
        for (const raw of sockets) tally.count(getStatus(raw));
        const open = sockets.filter((raw) => !raw.isClosed()).length;
        if (open > 0) tally.fail(`${open} half requests still open after ${PATIENCE_MS / 1_000} s`);
      },
      close: () => sockets.forEach(({ socket }) => socket.destroy()),
    };
  },
};

function halfPost(path: string, key: string): string {
  return [
    `POST ${path} HTTP/1.1`,
    'host: 127.0.0.1',
    `apikey: ${key}`,
    'content-type: application/json',
    'content-length: 1000',
    '',
    '{"half":',
  ].join('\r\n');
}
