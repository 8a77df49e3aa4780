import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { reservePort } from '../../scripts/reserved-port.ts';

/** Stands between a server and PostgreSQL and loses connections in chosen moments. */
export type DatabaseProxy = Readonly<{
  /** The same database through the proxy. */
  url: string;
  /** Ends all open connections without a message. */
  cut: () => void;
  /** The next `connections` end in the packet that reports them ready, as a terminated backend does (57P01). */
  terminateWhenReady: (connections: number) => void;
  /**
   * Cuts the next connection that sends `text` after it has sent `mark`, so that other work of the server at the same
   * time is not hit. PostgreSQL still receives the packet, its answer is lost. Resolves once PostgreSQL has done all of
   * it and ended the connection: after a call has come back it may still be at it.
   */
  cutAfterSending: (text: string, mark: string) => Promise<void>;
  /** Cuts each of the next `connections` in the middle of the message that follows `text`. */
  cutInMessageAfter: (text: string, connections: number) => void;
  /** Refuses connections until `open`. */
  close: () => Promise<void>;
  open: () => Promise<void>;
  stop: () => Promise<void>;
}>;

type Plan = {
  terminated: number;
  lastWords: { text: string; mark: string; done: () => void } | undefined;
  halved: { text: string; left: number } | undefined;
};

const READY = Buffer.from('Z\0\0\0\u0005I', 'latin1');

export async function startDatabaseProxy(databaseUrl: string): Promise<DatabaseProxy> {
  const socketFile = `${new URL(databaseUrl).searchParams.get('host')}/.s.PGSQL.5432`;
  const sockets = new Set<Socket>();
  const plan: Plan = { terminated: 0, lastWords: undefined, halved: undefined };
  const cut = (): void => sockets.forEach((socket) => socket.destroy());
  const server = createServer((near) => {
    const far = connect(socketFile);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.on('error', () => undefined);
      from.on('close', () => {
        sockets.delete(from);
        // What was ended has yet to do what it was sent.
        if (!to.writableEnded) to.destroy();
      });
    }
    forward(near, far, plan);
  });
  // It stays the proxy's while it refuses connections.
  const { port, release } = await reservePort();
  const listen = async (): Promise<void> => {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
  };
  const close = async (): Promise<void> => {
    server.close();
    cut();
    await once(server, 'close');
  };
  await listen();
  return {
    url: through(databaseUrl, port),
    cut,
    terminateWhenReady: (connections) => void (plan.terminated = connections),
    cutAfterSending: (text, mark) => new Promise((done) => (plan.lastWords = { text, mark, done })),
    cutInMessageAfter: (text, left) => void (plan.halved = { text, left }),
    close,
    open: listen,
    stop: async () => {
      if (server.listening) await close();
      await release();
    },
  };
}

function through(databaseUrl: string, port: number): string {
  const url = new URL(databaseUrl);
  url.searchParams.delete('host');
  url.hostname = '127.0.0.1';
  url.port = String(port);
  return url.href;
}

function forward(near: Socket, far: Socket, plan: Plan): void {
  let halved = false;
  let marked: Plan['lastWords'];
  near.on('data', (chunk) => {
    if (plan.lastWords !== undefined && chunk.includes(plan.lastWords.mark)) marked = plan.lastWords;
    if (marked !== undefined && marked === plan.lastWords && chunk.includes(marked.text)) {
      plan.lastWords = undefined;
      far.once('close', marked.done).end(chunk, () => near.destroy());
      return;
    }
    if (plan.halved !== undefined && plan.halved.left > 0 && chunk.includes(plan.halved.text)) {
      plan.halved.left -= 1;
      halved = true;
    }
    far.write(chunk);
  });
  far.on('data', (chunk) => {
    if (halved) {
      near.write(chunk.subarray(0, Math.ceil(chunk.length / 2)), () => near.destroy());
    } else if (plan.terminated > 0 && chunk.includes(READY)) {
      plan.terminated -= 1;
      near.end(Buffer.concat([chunk, terminated()]));
    } else {
      near.write(chunk);
    }
  });
}

/** PostgreSQL's ErrorResponse to a backend that is told to end. */
function terminated(): Buffer {
  const fields = 'SFATAL\0VFATAL\0C57P01\0Mterminating connection due to administrator command\0\0';
  const head = Buffer.alloc(5);
  head.write('E');
  head.writeInt32BE(4 + fields.length, 1);
  return Buffer.concat([head, Buffer.from(fields)]);
}
