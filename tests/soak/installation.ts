import { mkdir, readFile, rm } from 'node:fs/promises';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';
import path from 'node:path';
import pg from 'pg';
import { startCluster, type Cluster } from '#backend/database/index.ts';
import { spawnServer, type ServerProcess } from '#tests/support/process.ts';
import { startS3 } from '#tests/support/s3.ts';
import { reservePort } from '../../scripts/reserved-port.ts';

/** An installation under test. Its addresses stay the same over every restart. */
export type Installation = Readonly<{
  urls: readonly string[];
  /** The folder of the server that made the first accounts. */
  dataDir: string;
  /**
   * Ends the server `index` and PostgreSQL where asked, without any warning, and starts again what does not start by
   * itself.
   */
  kill: (what: Readonly<{ server?: number; database?: boolean }>) => Promise<void>;
  loseConnections: () => Promise<void>;
  startTimes: readonly number[];
  failedStarts: () => number;
  /** Servers that ended although nothing ended them, with their exit codes. */
  unexpectedEnds: () => readonly string[];
  /** Everything the servers logged, for a person who looks for a cause. */
  output: () => string;
  stop: () => Promise<void>;
}>;

/** What would stand in the way of a writer that never rests. */
const UNLIMITED = { CONTRIBUTIONS_PER_HOUR: '1000000', AUTH_RATE_LIMIT: '1000000', LOG_LEVEL: 'error' } as const;
const START_LIMIT_MS = 60_000;

type Servers = Readonly<{
  urls: readonly string[];
  kill: (index: number) => Promise<void>;
  restart: (index: number) => Promise<void>;
  startTimes: number[];
  failedStarts: () => number;
  unexpectedEnds: () => readonly string[];
  output: () => string;
  stop: () => Promise<void>;
}>;

async function startServers(environments: readonly Readonly<Record<string, string>>[]): Promise<Servers> {
  const startTimes: number[] = [];
  const outputs: string[] = [];
  const unexpectedEnds: string[] = [];
  const ended = new WeakSet<ServerProcess>();
  let failed = 0;
  const processes: (ServerProcess | undefined)[] = [];
  const ports = await Promise.all(environments.map(reservePort));
  const restart = async (index: number): Promise<void> => {
    const begun = performance.now();
    const server = spawnServer({ ...UNLIMITED, ...environments[index], PORT: String(ports[index]?.port) });
    processes[index] = server;
    const started = await Promise.race([
      server.url.then(
        () => true,
        () => false,
      ),
      afterStartLimit(),
    ]);
    if (started) startTimes.push(performance.now() - begun);
    else failed += 1;
    server.child.once('exit', (code, signal) => {
      outputs.push(server.output());
      if (!ended.has(server)) unexpectedEnds.push(`server ${index} ended with ${code ?? signal}`);
    });
  };
  const end = async (index: number, signal: NodeJS.Signals): Promise<void> => {
    const server = processes[index];
    if (server === undefined) return;
    ended.add(server);
    await server.end(signal);
  };
  for (const index of environments.keys()) await restart(index);
  return {
    urls: ports.map(({ port }) => `http://127.0.0.1:${port}`),
    kill: (index) => end(index, 'SIGKILL'),
    restart,
    startTimes,
    failedStarts: () => failed,
    unexpectedEnds: () => unexpectedEnds,
    output: () => [...outputs, ...processes.map((server) => server?.output() ?? '')].join(''),
    stop: async () => {
      await Promise.all(environments.map((_, index) => end(index, 'SIGTERM')));
      await Promise.all(ports.map(({ release }) => release()));
    },
  };
}

/** One server with its embedded PostgreSQL and files on disk: what `npm start` gives. */
export async function startSingle(folder: string): Promise<Installation> {
  const dataDir = path.join(folder, 'single');
  const servers = await startServers([{ DATA_DIR: dataDir }]);
  return {
    ...servers,
    dataDir,
    kill: async ({ server, database }) => {
      // Both at once: the server has no time to notice that its PostgreSQL is gone.
      if (database === true) await killPostgres(path.join(dataDir, 'postgres', 'data'));
      if (server === undefined) return;
      await servers.kill(server);
      await servers.restart(server);
    },
    loseConnections: async () => {
      const file: unknown = JSON.parse(await readFile(path.join(dataDir, 'server.json'), 'utf8'));
      await terminateBackends(String(Object(file).databaseUrl));
    },
  };
}

/** Two servers on one PostgreSQL, which is supervised as an operator's service manager would, and one S3. */
export async function startPair(folder: string): Promise<Installation> {
  const clusterFolder = path.join(folder, 'postgres');
  await mkdir(clusterFolder, { recursive: true });
  const cluster: Cluster = await startCluster({ folder: clusterFolder });
  const door = await openDoor(getSocket(cluster));
  const s3 = await startS3();
  const url = throughDoor(cluster.url('postgres'), door.port);
  const environments = ['one', 'two'].map((name) => ({
    DATA_DIR: path.join(folder, name),
    DATABASE_URL: url,
    ...s3.env,
  }));
  const servers = await startServers(environments);
  return {
    ...servers,
    dataDir: path.join(folder, 'one'),
    kill: async ({ server, database }) => {
      if (database === true) await killPostgres(path.join(clusterFolder, 'data'));
      if (server !== undefined) await servers.kill(server);
      if (server !== undefined) await servers.restart(server);
    },
    loseConnections: () => terminateBackends(cluster.url('postgres')),
    stop: async () => {
      await servers.stop();
      await door.close();
      await cluster.stop();
      await s3.stop();
      await rm(clusterFolder, { recursive: true, force: true });
    },
  };
}

async function killPostgres(dataFolder: string): Promise<void> {
  const file = path.join(dataFolder, 'postmaster.pid');
  const pid = Number((await readFile(file, 'utf8').catch(() => '')).split('\n')[0]);
  if (Number.isInteger(pid) && pid > 1) process.kill(pid, 'SIGKILL');
}

async function terminateBackends(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
        where backend_type = 'client backend' and pid <> pg_backend_pid()`,
    );
  } catch {
    // Without a database there are no connections to lose.
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** A TCP address that leads to the PostgreSQL on that socket, as an external one has it. */
async function openDoor(socket: string): Promise<{ port: number; close: () => Promise<void> }> {
  const open = new Set<{ destroy: () => void }>();
  const server = createServer((near) => {
    const far = connect(socket);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(from);
      from.on('error', () => to.destroy());
      from.on('close', () => void (open.delete(from), to.destroy()));
      from.pipe(to);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const close = async (): Promise<void> => {
    server.close();
    for (const each of open) each.destroy();
    await once(server, 'close');
  };
  return { port: (server.address() as AddressInfo).port, close };
}

function getSocket(cluster: Cluster): string {
  return `${new URL(cluster.url('postgres')).searchParams.get('host')}/.s.PGSQL.5432`;
}

function throughDoor(databaseUrl: string, port: number): string {
  const url = new URL(databaseUrl);
  url.searchParams.delete('host');
  url.hostname = '127.0.0.1';
  url.port = String(port);
  return url.href;
}

function afterStartLimit(): Promise<false> {
  return new Promise((resolve) => void setTimeout(resolve, START_LIMIT_MS, false).unref());
}
