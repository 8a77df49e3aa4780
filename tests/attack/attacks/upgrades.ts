import { setTimeout as wait } from 'node:timers/promises';
import { inParallel, type Attack } from '../attack.ts';
import { openRaw, getStatus, type RawSocket } from '../client.ts';

const PATHS = ['/realtime/v1/websocket', '/rest/v1/interviews', '/storage/v1/bucket', '/auth/v1/settings', '/nichts'];
const EACH = 40;
const PATIENCE_MS = 10_000;

/** The sockets stay open on this side: the server has to end them, and its stop must not wait for them. */
export const upgrades: Attack = {
  name: 'upgrades',
  about: 'a WebSocket asked for on 5 paths that have none, 40 times each',
  arrange: () => {
    const sockets: RawSocket[] = [];
    return {
      run: async (target, tally) => {
        await inParallel(PATHS.length * EACH, 20, async (index) => {
          sockets.push(await openRaw(target.url, upgradeRequest(PATHS[index % PATHS.length] ?? '/')));
        });
        const end = performance.now() + PATIENCE_MS;
        while (performance.now() < end && sockets.some((raw) => !raw.isClosed())) await wait(50);
        for (const raw of sockets) tally.count(getStatus(raw));
        const open = sockets.filter((raw) => !raw.isClosed()).length;
        if (open > 0) tally.fail(`${open} sockets still open after 10 s`);
        if (tally.accepted() > 0) tally.fail(`${tally.accepted()} upgrades answered as if all was well`);
      },
      close: () => sockets.forEach(({ socket }) => socket.destroy()),
    };
  },
};

function upgradeRequest(path: string): string {
  return [
    `GET ${path} HTTP/1.1`,
    'host: 127.0.0.1',
    'connection: Upgrade',
    'upgrade: websocket',
    'sec-websocket-version: 13',
    'sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==',
    '\r\n',
  ].join('\r\n');
}
