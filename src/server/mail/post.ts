import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { domainToASCII } from 'node:url';
import type { FastifyBaseLogger } from 'fastify';
import { getErrorCode } from '#lib/error-code.ts';
import { messageOf } from '#backend/index.ts';
import { writeDurably } from '#lib/durable-file.ts';
import type { Env } from '../env.ts';
import type { Delivery, Letter, Post } from '../post.ts';
import { handOver } from './hand-over.ts';
import { folderOf } from './outbox-folder.ts';
import { smtpCarrier, type Carry } from './smtp.ts';

type Log = Pick<FastifyBaseLogger, 'info' | 'warn' | 'error'>;

/** For senders that keep track of their letters themselves; nothing of them waits in the folder for a courier. */
export function openPost(env: Env, log: Log): Post {
  const from = env.MAIL_FROM ?? `no-reply@${new URL(env.PUBLIC_URL ?? 'http://localhost').hostname}`;
  return env.SMTP_URL === undefined
    ? folderPost(folderOf(env), from, log)
    : smtpPost(smtpCarrier(env.SMTP_URL), from, log);
}

/** Written again at a second attempt, the file is the same one. */
function folderPost(folder: string, from: string, log: Log): Post {
  return {
    deliver: async (letter) => {
      const to = mailboxOf(letter.to);
      if (to === undefined) return { result: 'refused' };
      const name = `${letter.at.toISOString().replaceAll(/[:.]/g, '-')}_${letter.id}`;
      try {
        await mkdir(folder, { recursive: true, mode: 0o700 });
        await writeDurably(path.join(folder, `${name}.eml`), messageTo(to, letter, from));
        log.info({ mail: name }, 'mail: written');
        return { result: 'sent' };
      } catch (error) {
        log.error({ mail: name, cause: getErrorCode(error) }, 'mail: could not be written');
        return { result: 'away' };
      }
    },
  };
}

function smtpPost(carry: Carry, from: string, log: Log): Post {
  return {
    deliver: async (letter, begin, signal) => {
      const to = mailboxOf(letter.to);
      if (to === undefined) return { result: 'refused' };
      const content = Buffer.from(messageTo(to, letter, from));
      const { result, ...facts } = await handOver(carry, { from: addressIn(from), to, content }, { begin, signal });
      log[LEVELS[result]]({ mail: letter.id, ...facts }, `mail: ${result}`);
      return deliveryOf(result, 'answer' in facts ? facts.answer : undefined);
    },
  };
}

const LEVELS = { taken: 'info', later: 'warn', away: 'warn', unsure: 'warn', refused: 'error' } as const;

function deliveryOf(result: keyof typeof LEVELS, answer: number | undefined): Delivery {
  if (result === 'taken') return { result: 'sent' };
  if (result === 'refused' || result === 'later') return { result, ...(answer === undefined ? {} : { answer }) };
  return { result };
}

function messageTo(to: string, letter: Letter, from: string): string {
  const replyTo = letter.replyTo === undefined ? undefined : mailboxOf(letter.replyTo);
  return messageOf({ ...letter, to, replyTo }, { ...letter, from });
}

/** One mailbox and nothing else (RFC 5321 without quoted names), as a mail server takes it; else undefined. */
function mailboxOf(given: string): string | undefined {
  const [, name, host] = /^([\w.!#$%&'*+/=?^`{|}~-]+)@([^@\s]+)$/.exec(given.trim()) ?? [];
  const domain = host === undefined ? '' : domainToASCII(host);
  return name === undefined || !/^[\w.-]+$/.test(domain) ? undefined : `${name}@${domain}`;
}

function addressIn(from: string): string {
  return /<([^<>]+)>\s*$/.exec(from)?.[1] ?? from;
}
