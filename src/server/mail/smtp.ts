import { unescape } from 'node:querystring';
import { Readable } from 'node:stream';
import SMTPConnection from 'nodemailer/lib/smtp-connection';
import { isLoopback } from '#http/network.ts';
import { getErrorCode } from '#lib/error-code.ts';

export type OutgoingMail = Readonly<{ from: string; to: string; content: Buffer }>;

/**
 * `refused`: for good; `answer` is the mail server's code, missing where the address is invalid. `unsure`: the mail
 * server got the last byte and did not answer. `later`: not sent, and may be tried again; `away`: all others have to
 * wait too. `cause` is a code, never words: they may hold an address.
 */
export type Delivery =
  | Readonly<{ result: 'sent' }>
  | Readonly<{ result: 'refused' | 'later' | 'away'; answer?: number; cause?: string | undefined }>
  | Readonly<{ result: 'unsure'; cause?: string | undefined }>;

/** `begin` is called before the first byte goes out; where it rejects, none does. `signal` gives up until then. */
export type Attempt = Readonly<{ begin: () => Promise<void>; signal: AbortSignal }>;

/** Hands a mail over to the mail server. Never rejects. */
export type Transport = (mail: OutgoingMail, attempt: Attempt) => Promise<Delivery>;

type Server = Readonly<{
  host: string;
  port: number;
  secure: boolean;
  /** Mails open accounts, so they leave this machine encrypted only. `?requireTLS=false` overrides. */
  requireTLS: boolean;
  auth: Readonly<{ user: string; pass: string }> | undefined;
}>;

const CONNECT_MS = 10_000;
const SILENCE_MS = 60_000;
const SUBMISSION = 587;
const SUBMISSIONS = 465;

export function smtpServer(address: string): Server {
  const url = new URL(address);
  const secure = url.protocol === 'smtps:' || url.port === String(SUBMISSIONS);
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const asked = url.searchParams.get('requireTLS');
  const user = unescape(url.username);
  return {
    host,
    port: url.port === '' ? (secure ? SUBMISSIONS : SUBMISSION) : Number(url.port),
    secure,
    requireTLS: !secure && (asked === null ? !isLoopback(host) : asked !== 'false'),
    auth: user === '' ? undefined : { user, pass: unescape(url.password) },
  };
}

/** Opens a connection for each mail: there are few, and none is left half open. */
export function smtpTransport(address: string): Transport {
  const server = smtpServer(address);
  return async ({ from, to, content }, { begin, signal }) => {
    let begun = false;
    let beginning = Promise.resolve();
    const parts = async function* (): AsyncGenerator<Buffer> {
      await (beginning = begin());
      begun = true;
      yield content;
    };
    // Nothing is read before the server has asked for the content (RFC 5321, 354).
    const stream = Readable.from(parts(), { objectMode: false });
    try {
      await send(server, { from, to, content: stream }, signal);
      return { result: 'sent' };
    } catch (error) {
      // The caller records the outcome, which a beginning that ends later would change.
      await beginning.catch(() => undefined);
      const cause = getErrorCode(error);
      const outcome = readAnswer(error, begun) ?? { result: begun && stream.readableEnded ? 'unsure' : 'away' };
      return { ...outcome, cause };
    } finally {
      stream.destroy();
    }
  };
}

/** Sends one mail once. Rejects with nodemailer's error, whose message may be shown to the mail server's operator. */
export function sendOnce(address: string, { from, to, content }: OutgoingMail, signal: AbortSignal): Promise<void> {
  return send(smtpServer(address), { from, to, content: Readable.from([content], { objectMode: false }) }, signal);
}

/** nodemailer gives replies of every stage a code; only those to the recipient and the content are about this mail. */
function readAnswer(error: unknown, begun: boolean): Delivery | undefined {
  if (!(error instanceof Error && 'responseCode' in error && 'command' in error)) return undefined;
  const { responseCode: answer, command } = error;
  if (typeof answer !== 'number') return undefined;
  if (begun || command === 'RCPT TO' || command === 'DATA')
    return { result: answer < 500 ? 'later' : 'refused', answer };
  // The sender is a setting (no SIZE goes with it), but mails of an earlier one must not hold up the others.
  return { result: command === 'MAIL FROM' ? 'later' : 'away', answer };
}

type Streamed = Omit<OutgoingMail, 'content'> & Readonly<{ content: Readable }>;

/** Resolves when the server has taken the mail over. Rejects with a nodemailer error. */
function send({ auth, ...server }: Server, { from, to, content }: Streamed, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const connection = new SMTPConnection({
      ...server,
      connectionTimeout: CONNECT_MS,
      greetingTimeout: CONNECT_MS,
      dnsTimeout: CONNECT_MS,
      socketTimeout: SILENCE_MS,
    });
    // The signal outlives the mail.
    const forgetSignal = (): void => signal.removeEventListener('abort', giveUp);
    const fail = (error: Error): void => {
      forgetSignal();
      // In this order: closing ends the connection, which fails once more.
      reject(error);
      connection.close();
    };
    const giveUp = (): void => {
      if (!content.readableDidRead) fail(new Error('given up'));
    };
    const sendMail = (): void =>
      connection.send({ from, to: [to] }, content, (error) => {
        if (error !== null) return fail(error);
        forgetSignal();
        connection.quit();
        return resolve();
      });
    connection.on('error', fail);
    // An abort before this moment raises no event.
    if (signal.aborted) return giveUp();
    signal.addEventListener('abort', giveUp, { once: true });
    connection.once('end', () => fail(new Error('the connection ended')));
    connection.connect((error) => {
      if (error) fail(error);
      else if (auth === undefined) sendMail();
      else connection.login(auth, (refusal) => (refusal === null ? sendMail() : fail(refusal)));
    });
  });
}
