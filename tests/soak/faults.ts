import { connect, type Socket } from 'node:net';
import { open, rm, statfs } from 'node:fs/promises';
import path from 'node:path';
import type { Installation } from './installation.ts';

/** One thing that goes wrong. `strike` resolves when it has happened, its remains are gone with `end`. */
export type Fault = Readonly<{
  name: 'server killed' | 'database killed' | 'both killed' | 'connections lost' | 'half clients' | 'disk full';
  weight: number;
  isKill: boolean;
  strike: (installation: Installation, server: number) => Promise<{ end: () => Promise<void> }>;
}>;

const NOTHING_LEFT = { end: () => Promise.resolve() };
const HALF_CLIENTS = 40;
const CHUNK = Buffer.alloc(4 * 1024 * 1024, 'x');

/** `diskOfItsOwn`: a small file system that may be filled; without one that fault is left out. */
export function listFaults(diskOfItsOwn: string | undefined): readonly Fault[] {
  const faults: Fault[] = [
    kill('server killed', 6, (server) => ({ server })),
    kill('database killed', 4, () => ({ database: true })),
    kill('both killed', 4, (server) => ({ server, database: true })),
    {
      name: 'connections lost',
      weight: 3,
      isKill: false,
      strike: async (installation) => {
        await installation.loseConnections();
        return NOTHING_LEFT;
      },
    },
    { name: 'half clients', weight: 2, isKill: false, strike: openHalfClients },
  ];
  if (diskOfItsOwn === undefined) return faults;
  return [...faults, { name: 'disk full', weight: 1, isKill: false, strike: () => fillDisk(diskOfItsOwn) }];
}

/** Every fault once a round, in another order each time; after the rounds by weight, without end. */
export function* chooseFaults<T extends Pick<Fault, 'weight'>>(
  faults: readonly T[],
  rounds: number,
  random: () => number,
) {
  yield* chooseInRounds(faults, rounds, random);
  yield* chooseByWeight(faults, random);
}

/** What has more weight comes more often. */
function* chooseByWeight<T extends Pick<Fault, 'weight'>>(faults: readonly T[], random: () => number) {
  const total = faults.reduce((sum, { weight }) => sum + weight, 0);
  for (;;) {
    let left = random() * total;
    const chosen = faults.find(({ weight }) => (left -= weight) < 0) ?? faults[0];
    if (chosen === undefined) throw new Error('there is no fault to choose from');
    yield chosen;
  }
}

function* chooseInRounds<T>(faults: readonly T[], rounds: number, random: () => number) {
  for (let round = 0; round < rounds; round += 1) {
    const left = [...faults];
    while (left.length > 0) yield* left.splice(Math.floor(random() * left.length), 1);
  }
}

function kill(
  name: Fault['name'],
  weight: number,
  what: (server: number) => Readonly<{ server?: number; database?: boolean }>,
): Fault {
  return {
    name,
    weight,
    isKill: true,
    strike: async (installation, server) => {
      await installation.kill(what(server));
      return NOTHING_LEFT;
    },
  };
}

/** Clients that send half a request and then nothing, and one that announces more than it sends. */
async function openHalfClients(installation: Installation, server: number): Promise<{ end: () => Promise<void> }> {
  const { hostname, port } = new URL(installation.urls[server] ?? '');
  const sockets: Socket[] = [];
  for (let count = 0; count < HALF_CLIENTS; count += 1) {
    const socket = connect(Number(port), hostname);
    socket.on('error', () => undefined);
    const length = count % 2 === 0 ? '' : 'content-length: 100000\r\n\r\n{"transcript":"';
    socket.write(`POST /rest/v1/interviews HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n${length}`);
    sockets.push(socket);
  }
  return { end: async () => sockets.forEach((socket) => socket.destroy()) };
}

async function fillDisk(folder: string): Promise<{ end: () => Promise<void> }> {
  const file = path.join(folder, 'filler');
  const handle = await open(file, 'w');
  try {
    for (;;) await handle.write(CHUNK);
  } catch {
    // Full.
  }
  await handle.close();
  const { bavail } = await statfs(folder);
  if (bavail > 1_024) throw new Error('the disk was not filled');
  return { end: () => rm(file) };
}
