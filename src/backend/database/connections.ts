import { setImmediate as immediate, setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { isConnectionError } from './connection-errors.ts';

/** The system asks after 10 s of silence whether the host is there: one that is gone is noticed within 20 s. */
const KEEP_ALIVE = { keepAlive: true, keepAliveInitialDelayMillis: 10_000 } as const;

/** One connection outside of a pool. The caller ends it. */
export async function openClient(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, ...KEEP_ALIVE });
  // Without a listener the loss of the connection ends the process.
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

export async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = await openClient(url);
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

export type Connections = ReturnType<typeof openConnections>;

export type ConnectionOptions = Readonly<{
  url: string;
  max: number;
  /** How long after the first failed attempt to connect requests wait for the database to come back. */
  reconnectTimeoutMs: number;
  onError: (error: Error) => void;
}>;

/** For one attempt, and for a free connection of a busy pool. */
const LEAST_CONNECT_TIMEOUT_MS = 5_000;
const IDLE_TIMEOUT_MS = 30_000;
const PROBE_PAUSE_MS = 100;

/**
 * A pool that gives out only connections opened after the last loss, which `lost` reports. `acquire` waits for the end
 * of a short outage and throws the error of the last attempt; `acquireNow` does not wait.
 */
export function openConnections({ url, max, reconnectTimeoutMs, onError }: ConnectionOptions) {
  const pool = new pg.Pool({
    connectionString: url,
    max,
    connectionTimeoutMillis: Math.max(LEAST_CONNECT_TIMEOUT_MS, reconnectTimeoutMs / 2),
    idleTimeoutMillis: IDLE_TIMEOUT_MS,
    ...KEEP_ALIVE,
  });
  const openedAfter = new WeakMap<pg.PoolClient, number>();
  let losses = 0;
  const lost = (client: pg.PoolClient): void => {
    // Further connections that the same outage ends are known to be old already.
    if (openedAfter.get(client) === losses) losses += 1;
  };
  pool.on('connect', (client) => {
    openedAfter.set(client, losses);
    // PostgreSQL may end a connection in the packet that reports it ready: then no request listens to it yet, and an
    // 'error' without a listener ends the process.
    client.on('error', () => lost(client));
  });
  // Without a listener the loss of an idle connection ends the process. One that is being closed cannot be lost.
  pool.on('error', (error) => {
    if (!pool.ending) onError(error);
  });

  const connect = waitOutOutages(createGrowth(pool), reconnectTimeoutMs);
  const replaceOld = async (open: () => Promise<pg.PoolClient>): Promise<pg.PoolClient> => {
    for (;;) {
      const client = await open();
      if (openedAfter.get(client) === losses) return client;
      client.release(true);
    }
  };
  return {
    acquire: () => replaceOld(connect),
    acquireNow: () => replaceOld(() => pool.connect()),
    lost,
    end: () => pool.end(),
  };
}

/**
 * Opens connections one at a time. While all are busy, a request takes the first one that becomes free, which may be
 * the new one. Opening one takes longer than most statements, and opening many at once delays everything else.
 */
function createGrowth(pool: pg.Pool): Connect {
  const waiting: (() => void)[] = [];
  let opening = false;
  const mustWait = (): boolean => pool.totalCount > 0 && pool.idleCount === 0 && pool.totalCount < pool.options.max;
  const open = async (): Promise<void> => {
    if (opening) return;
    opening = true;
    const opened = await pool.connect().catch(() => undefined);
    opened?.release();
    // The request that this release woke takes the connection before the queue is looked at again.
    await immediate();
    opening = false;
    if (opened !== undefined && waiting.length > 0 && mustWait()) return open();
    // No further connection can be opened: the pool queues each of them, or reports its error.
    for (const proceed of waiting.splice(0)) proceed();
  };
  pool.on('release', () => waiting.shift()?.());
  return async () => {
    if (mustWait()) {
      const free = new Promise<void>((resolve) => void waiting.push(resolve));
      void open();
      await free;
    }
    return pool.connect();
  };
}

/** Resolves once the database answers. Throws after the timeout, and at once for all but a failed connection. */
export async function awaitDatabase(url: string, reconnectTimeoutMs: number, onWait: () => void): Promise<void> {
  const connections = openConnections({ url, max: 1, reconnectTimeoutMs, onError: () => undefined });
  try {
    const client = await connections.acquireNow().catch((error: unknown) => {
      if (!isConnectionError(error)) throw error;
      onWait();
      return connections.acquire();
    });
    client.release();
  } finally {
    await connections.end();
  }
}

type Connect = () => Promise<pg.PoolClient>;

/**
 * Connects, and waits out an outage: one probe serves all waiting requests, for as long from its beginning. After
 * that every attempt fails at once until one succeeds.
 */
function waitOutOutages(connect: Connect, reconnectTimeoutMs: number): Connect {
  let recovered: Promise<boolean> | undefined;
  const probe = async (until: number): Promise<boolean> => {
    while (performance.now() < until) {
      await wait(PROBE_PAUSE_MS);
      if (!(await isReachable(connect))) continue;
      recovered = undefined;
      return true;
    }
    return false;
  };
  const attempt = async (giveUpAt: number): Promise<pg.PoolClient> => {
    try {
      const client = await connect();
      recovered = undefined;
      return client;
    } catch (error) {
      if (!isConnectionError(error) || performance.now() >= giveUpAt) throw error;
      recovered ??= probe(giveUpAt);
      if (!(await recovered)) throw error;
      return attempt(giveUpAt);
    }
  };
  return () => attempt(performance.now() + reconnectTimeoutMs);
}

async function isReachable(connect: Connect): Promise<boolean> {
  try {
    (await connect()).release();
    return true;
  } catch (error) {
    return !isConnectionError(error);
  }
}
