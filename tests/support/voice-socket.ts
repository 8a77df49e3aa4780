import { WebSocket, type ClientOptions } from 'ws';
import { parseJson } from '#lib/parse-json.ts';

/** A bare socket, for what no official client would send. */
export type RawCall = Readonly<{
  socket: WebSocket;
  send: (message: unknown) => void;
  received: { type: string }[];
  closed: Promise<{ code: number; reason: string }>;
  /** Resolves once a message of that type has come. */
  until: (type: string) => Promise<void>;
}>;

export type RawOptions = Readonly<{ protocols?: string[]; settings?: ClientOptions }>;

/** Rejects where the handshake is refused, with an Error whose message carries the HTTP status. */
export async function rawCall(url: string, { protocols = [], settings = {} }: RawOptions = {}): Promise<RawCall> {
  const socket = new WebSocket(url, protocols, settings);
  const received: { type: string }[] = [];
  const waiting: { type: string; done: () => void }[] = [];
  const closed = Promise.withResolvers<{ code: number; reason: string }>();
  socket.on('message', (data: Buffer) => {
    const message = parseJson(data.toString('utf8')) as { type: string };
    received.push(message);
    for (const waiter of waiting) if (waiter.type === message.type) waiter.done();
  });
  socket.on('close', (code, reason) => closed.resolve({ code, reason: reason.toString('utf8') }));
  await new Promise<void>((resolve, reject) => {
    socket.once('open', resolve);
    socket.on('error', reject);
  });
  return {
    socket,
    send: (message) => socket.send(typeof message === 'string' ? message : JSON.stringify(message)),
    received,
    closed: closed.promise,
    until: (type) =>
      received.some((message) => message.type === type)
        ? Promise.resolve()
        : new Promise((done) => void waiting.push({ type, done })),
  };
}

export const INITIATION = {
  type: 'conversation_initiation_client_data',
  conversation_config_override: { conversation: { text_only: true } },
} as const;
