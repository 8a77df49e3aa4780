import { setTimeout as wait } from 'node:timers/promises';
import { inParallel, type Attack } from '../attack.ts';
import { openRaw, getStatus, type RawSocket } from '../client.ts';

const READERS = 100;
const WATCHED_MS = 10_000;

/**
 * Each asks for a large answer and never reads it: it must not wait in the server's memory or hold a connection to the
 * database.
 */
export const slowReaders: Attack = {
  name: 'slow-readers',
  about: `${READERS} clients ask for 5 MB each and do not read`,
  arrange: () => {
    const sockets: RawSocket[] = [];
    return {
      run: async (target, tally) => {
        await target.sql(`update public.interviews set transcript = repeat('x', 25000)`);
        const { apikey = '', authorization = '' } = target.attackingMember;
        await inParallel(READERS, 10, async () => {
          const raw = await openRaw(target.url, request(apikey, authorization));
          raw.socket.pause();
          sockets.push(raw);
        });
        await wait(WATCHED_MS);
        for (const { socket } of sockets) socket.resume();
        await wait(WATCHED_MS / 5);
        for (const raw of sockets) tally.count(getStatus(raw));
      },
      close: () => sockets.forEach(({ socket }) => socket.destroy()),
    };
  },
};

function request(key: string, authorization: string): string {
  const head = ['GET /rest/v1/interviews?select=transcript&limit=200 HTTP/1.1', 'host: 127.0.0.1'];
  return [...head, `apikey: ${key}`, `authorization: ${authorization}`, '', ''].join('\r\n');
}
