import type { FastifyBaseLogger } from 'fastify';
import { getErrorCode } from '#lib/error-code.ts';
import { composeMessage, getAddress, parseMailbox, type Message } from './message.ts';
import type { Outbox } from './outbox.ts';
import type { Attempt, Delivery, Transport } from './smtp.ts';

/** Sends single messages for a sender that keeps the state of each itself; none of them waits in the outbox. */
export type Mailer = Readonly<{
  /** Rejects never. */
  deliver: (message: Message, attempt: Attempt) => Promise<Delivery>;
}>;

type Log = Pick<FastifyBaseLogger, 'info' | 'warn' | 'error'>;

/** Without a mail server every message becomes a file. Written again at a second attempt, the file is the same one. */
export function folderMailer(outbox: Outbox, log: Log): Mailer {
  return {
    deliver: async (message) => {
      const addressed = checkMailboxes(message);
      if (addressed === undefined) return { result: 'refused' };
      try {
        log.info({ mail: await outbox.put(addressed) }, 'mail: written');
        return { result: 'sent' };
      } catch (error) {
        log.error({ mail: message.id, cause: getErrorCode(error) }, 'mail: not written');
        return { result: 'away' };
      }
    },
  };
}

export function smtpMailer(transport: Transport, from: string, log: Log): Mailer {
  return {
    deliver: async (message, attempt) => {
      const addressed = checkMailboxes(message);
      if (addressed === undefined) return { result: 'refused' };
      const content = await composeMessage(addressed, from);
      const delivery = await transport({ from: getAddress(from), to: addressed.to, content }, attempt);
      logDelivery(log, message.id, delivery);
      return delivery;
    },
  };
}

const LEVELS = { sent: 'info', later: 'warn', away: 'warn', unsure: 'warn', refused: 'error' } as const;

export function logDelivery(log: Log, mail: string, { result, ...facts }: Delivery): void {
  log[LEVELS[result]]({ mail, ...facts }, `mail: ${result}`);
}

/** undefined where the recipient is no single mailbox. Such an address for answers is left out. */
function checkMailboxes(message: Message): Message | undefined {
  const to = parseMailbox(message.to);
  if (to === undefined) return undefined;
  return { ...message, to, replyTo: message.replyTo === undefined ? undefined : parseMailbox(message.replyTo) };
}
