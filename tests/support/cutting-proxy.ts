import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { once } from 'node:events';
import { seededRandom } from './seeded-random.ts';

/** A network between browser and server that breaks at random, but the same random for the same seed. */
export type CuttingProxy = Readonly<{
  url: string;
  /**
   * From now on every connection breaks somewhere in its first bytes, whichever way these go; `most` of them at most.
   */
  cut: (options: Readonly<{ seed: number; most: number; withinBytes: number }>) => void;
  /** How many were cut. */
  cuts: () => number;
  stop: () => Promise<void>;
}>;

export async function startCuttingProxy(target: string): Promise<CuttingProxy> {
  const { hostname, port } = new URL(target);
  const open = new Set<Socket>();
  let left = 0;
  let done = 0;
  let random = seededRandom(1);
  let within = 0;
  const server = createServer((near) => {
    const far = connect(Number(port), hostname);
    let budget = left > 0 ? Math.floor(random() * within) : Number.POSITIVE_INFINITY;
    const end = (): void => {
      near.destroy();
      far.destroy();
    };
    const count = (bytes: number): void => {
      budget -= bytes;
      if (budget > 0 || left === 0) return;
      left -= 1;
      done += 1;
      budget = Number.POSITIVE_INFINITY;
      end();
    };
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(from);
      from.on('data', (chunk: Buffer) => {
        count(chunk.length);
        if (!to.destroyed && !to.write(chunk)) from.pause();
      });
      to.on('drain', () => from.resume());
      from.on('end', () => to.end());
      from.on('error', end);
      from.on('close', () => {
        open.delete(from);
        to.destroy();
      });
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut: ({ seed, most, withinBytes }) => {
      random = seededRandom(seed);
      within = withinBytes;
      left = most;
      // What was opened before would never break.
      for (const socket of open) socket.destroy();
    },
    cuts: () => done,
    stop: async () => {
      for (const socket of open) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
