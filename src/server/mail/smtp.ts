import type { Readable } from 'node:stream';
import SMTPConnection from 'nodemailer/lib/smtp-connection';
import { isLoopback } from './loopback.ts';

/** One message to one mailbox. Nothing is read from `content` before the server has asked for it (RFC 5321, 354). */
type Letter = Readonly<{ from: string; to: string; content: Readable }>;

/**
 * Resolves when the server has taken the letter over. Rejects with a nodemailer error; `responseCode` is the server's.
 * `signal` gives up as long as nothing was read from the content.
 */
export type Carry = (letter: Letter, signal: AbortSignal) => Promise<void>;

type Server = Readonly<{
  host: string;
  port: number;
  secure: boolean;
  /** Without encryption nobody but this machine is spoken to: the mails open accounts. `?requireTLS=false` overrides. */
  requireTLS: boolean;
  auth: Readonly<{ user: string; pass: string }> | undefined;
}>;

const CONNECT_MS = 10_000;
const SILENCE_MS = 60_000;
const SUBMISSION = 587;
const SUBMISSIONS = 465;

export function smtpServer(address: string): Server {
  const url = new URL(address);
  const secure = url.protocol === 'smtps:';
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const asked = url.searchParams.get('requireTLS');
  const user = decodeURIComponent(url.username);
  return {
    host,
    port: url.port === '' ? (secure ? SUBMISSIONS : SUBMISSION) : Number(url.port),
    secure,
    requireTLS: !secure && (asked === null ? !isLoopback(host) : asked !== 'false'),
    auth: user === '' ? undefined : { user, pass: decodeURIComponent(url.password) },
  };
}

/** A connection for each letter: there are few, and none is ever left half open. */
export function smtpCarrier(address: string): Carry {
  const { auth, ...server } = smtpServer(address);
  return ({ from, to, content }, signal) =>
    new Promise((resolve, reject) => {
      const connection = new SMTPConnection({
        ...server,
        connectionTimeout: CONNECT_MS,
        greetingTimeout: CONNECT_MS,
        dnsTimeout: CONNECT_MS,
        socketTimeout: SILENCE_MS,
      });
      const fail = (error: Error): void => {
        // In this order: closing ends the connection, which fails once more.
        reject(error);
        connection.close();
      };
      const giveUp = (): void => {
        if (!content.readableDidRead) fail(new Error('given up'));
      };
      const send = (): void =>
        connection.send({ from, to: [to] }, content, (error) => {
          if (error !== null) return fail(error);
          connection.quit();
          return resolve();
        });
      signal.addEventListener('abort', giveUp, { once: true });
      connection.on('error', fail);
      connection.once('end', () => fail(new Error('the connection ended')));
      connection.connect((error) => {
        if (error) fail(error);
        else if (auth === undefined) send();
        else connection.login(auth, (refusal) => (refusal === null ? send() : fail(refusal)));
      });
    });
}
