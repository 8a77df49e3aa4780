import { once } from 'node:events';
import { createServer, type Socket, type AddressInfo } from 'node:net';
import { readMail, type ReadMail } from './outbox.ts';

/** A reply (`550 no such mailbox`), or `hang up`: the connection ends without one; amid one that ends with `…`. */
type Reply = string;

/** What the server says at a step instead of yes; asked once a step. */
export type SmtpScript = Partial<
  Record<'greeting' | 'tls' | 'auth' | 'sender' | 'recipient' | 'data' | 'received', () => Reply | undefined>
>;

export type SmtpServer = Readonly<{
  url: string;
  port: number;
  /** Whole messages, whether their receipt was acknowledged or not. */
  received: readonly (ReadMail & Readonly<{ sender: string; recipient: string }>)[];
  /** Credentials that were given, `name:password`. */
  logins: readonly string[];
  /** Resolves when so many messages have been received. */
  arrived: (count: number) => Promise<void>;
  stop: () => Promise<void>;
}>;

/**
 * A mail server on this machine, as far as RFC 5321 needs one for a submission. `auth`: a login is asked for.
 * `pipelining`: commands may come without waiting for the answers.
 */
export async function startSmtpServer(
  script: SmtpScript = {},
  { port = 0, auth = false, pipelining = false }: { port?: number; auth?: boolean; pipelining?: boolean } = {},
): Promise<SmtpServer> {
  const received: SmtpServer['received'][number][] = [];
  const logins: string[] = [];
  const sockets = new Set<Socket>();
  let waiting: (() => void)[] = [];
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => socket.destroy());
    converse(socket, {
      script,
      extensions: [...(auth ? ['AUTH PLAIN'] : []), ...(pipelining ? ['PIPELINING'] : [])],
      login: (credentials) => void logins.push(credentials),
      take: (mail) => {
        received.push(mail);
        for (const look of waiting) look();
      },
    });
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const bound = (server.address() as AddressInfo).port;
  return {
    url: `smtp://127.0.0.1:${bound}`,
    port: bound,
    received,
    logins,
    arrived: (count) =>
      new Promise((resolve) => {
        const look = (): void => {
          if (received.length < count) return;
          waiting = waiting.filter((other) => other !== look);
          resolve();
        };
        waiting.push(look);
        look();
      }),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

type Conversation = Readonly<{
  script: SmtpScript;
  extensions: readonly string[];
  login: (credentials: string) => void;
  take: (mail: SmtpServer['received'][number]) => void;
}>;

function converse(socket: Socket, { script, extensions, login, take }: Conversation): void {
  let buffer = '';
  let inData = false;
  let envelope = { sender: '', recipient: '' };
  const say = (step: keyof SmtpScript | undefined, yes: string): boolean => {
    const reply = (step === undefined ? undefined : script[step]?.()) ?? yes;
    if (reply === 'hang up') socket.destroy();
    else if (reply.endsWith('…')) socket.end(reply.slice(0, -1));
    else socket.write(`${reply}\r\n`);
    return reply === yes;
  };
  const command = (line: string): void => {
    const verb = line.slice(0, 4).toUpperCase();
    if (verb === 'EHLO')
      socket.write(['250-hier', ...extensions.map((name) => `250-${name}`), '250 8BITMIME\r\n'].join('\r\n'));
    else if (verb === 'STAR') say('tls', '454 no certificate');
    else if (verb === 'AUTH') {
      login(
        Buffer.from(line.split(' ')[2] ?? '', 'base64')
          .toString()
          .split('\0')
          .slice(1)
          .join(':'),
      );
      say('auth', '235 ok');
    } else if (verb === 'MAIL') {
      envelope = { sender: '', recipient: '' };
      if (say('sender', '250 ok')) envelope.sender = /<(.*?)>/.exec(line)?.[1] ?? '';
    } else if (verb === 'RCPT' && envelope.sender === '') say(undefined, '503 no sender');
    else if (verb === 'RCPT') {
      if (say('recipient', '250 ok')) envelope = { ...envelope, recipient: /<(.*?)>/.exec(line)?.[1] ?? '' };
    } else if (verb === 'DATA' && envelope.recipient === '') say(undefined, '503 no recipient');
    else if (verb === 'DATA') inData = say('data', '354 go on');
    else if (verb === 'QUIT') socket.end('221 bye\r\n');
    else say(undefined, '250 ok');
  };
  const message = (text: string): void => {
    inData = false;
    take({ ...readMail('', text), ...envelope });
    say('received', '250 taken');
  };
  socket.on('data', (chunk: Buffer) => {
    buffer += chunk.toString('latin1');
    for (;;) {
      const end = inData ? '\r\n.\r\n' : '\r\n';
      const at = buffer.indexOf(end);
      if (at < 0) return;
      const part = buffer.slice(0, at);
      buffer = buffer.slice(at + end.length);
      if (inData) message(`${part}\r\n`);
      else command(part);
    }
  });
  say('greeting', '220 hier');
}
