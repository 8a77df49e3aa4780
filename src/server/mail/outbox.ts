import { mkdir, readdir, readFile, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { readJsonFile, renameDurably, syncFolder, writeDurably } from '#lib/durable-file.ts';
import { composeMessage, getAddress, type Message } from './message.ts';
import type { OutgoingMail } from './smtp.ts';

/**
 * The state of a mail stands in its file's name: `.eml` waits; `.sending` was begun; `.unsure` was handed over without
 * an answer and is never sent again; `.failed` was refused for good; `.expired` found no server in time.
 */
const STATES = ['eml', 'sending', 'unsure', 'failed', 'expired'] as const;
export type MailState = (typeof STATES)[number];

const SIDECAR = 'json';

/** Stands beside a mail's file, so its MIME is never parsed. */
const SidecarSchema = z.object({
  from: z.string(),
  to: z.string(),
  replyTo: z.optional(z.string()),
  subject: z.string(),
  text: z.string(),
  token: z.optional(z.string()),
});
export type Sidecar = z.infer<typeof SidecarSchema>;

export type Outbox = ReturnType<typeof openOutbox>;

/** A folder of mails. Any mail transfer agent can take the `.eml` files; each is there whole or not at all. */
export function openOutbox(folder: string, from: string) {
  const file = (name: string, state: string): string => path.join(folder, `${name}.${state}`);
  return {
    folder,
    /** Returns the mail's name. The same message written again replaces its file. */
    put: async (message: Message): Promise<string> => {
      // Begins with the time, so names sort by age: 2026-11-20T20-00-00-000Z_…
      const name = `${message.at.toISOString().replaceAll(/[:.]/g, '-')}_${message.id}`;
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const { to, replyTo, subject, text, token } = message;
      const sidecar: Sidecar = { from: getAddress(from), to, replyTo, subject, text, token };
      await writeDurably(file(name, SIDECAR), `${JSON.stringify(sidecar)}\n`);
      await writeDurably(file(name, 'eml'), await composeMessage(message, from));
      return name;
    },
    /** Names without their state, the oldest first. */
    list: async (state: MailState): Promise<readonly string[]> => {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const names = (await readdir(folder)).filter((name) => !name.startsWith('.') && name.endsWith(`.${state}`));
      return names.map((name) => name.slice(0, -state.length - 1)).toSorted();
    },
    /** A waiting mail with its envelope; undefined where it names no sender or recipient. */
    read: async (name: string): Promise<(OutgoingMail & Pick<Sidecar, 'token'>) | undefined> => {
      const content = await readFile(file(name, 'eml'));
      const sidecar = await readSidecar(folder, name);
      const envelope = sidecar ?? parseEnvelope(content);
      return envelope && { from: envelope.from, to: envelope.to, content, token: sidecar?.token };
    },
    move: (name: string, from: MailState, to: MailState) => renameDurably(file(name, from), file(name, to)),
    remove: async (name: string, state: MailState): Promise<void> => {
      await rm(file(name, state));
      await rm(file(name, SIDECAR), { force: true });
      await syncFolder(folder);
    },
  };
}

/** When a mail was written, in milliseconds since 1970; infinite for a name of another kind. */
export function parseMailTime(name: string): number {
  const [, day, hour, minute, second] = /^(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d)/.exec(name) ?? [];
  const time = Date.parse(`${day}T${hour}:${minute}:${second}Z`);
  return Number.isNaN(time) ? Number.POSITIVE_INFINITY : time;
}

/** A mail's files by its name: after a crash there may be a sidecar without a mail. */
export async function listMails(folder: string): Promise<ReadonlyMap<string, readonly string[]>> {
  const files: string[] = await readdir(folder).catch(() => []);
  return Map.groupBy(files.filter((file) => !file.startsWith('.')).toSorted(), stripState);
}

export function stripState(file: string): string {
  return file.replace(STATE_OR_SIDECAR, '');
}

const STATE_OR_SIDECAR = new RegExp(`\\.(?:${[...STATES, SIDECAR].join('|')})$`);

export function isSidecar(file: string): boolean {
  return file.endsWith(`.${SIDECAR}`);
}

/**
 * Removes sidecars whose mail a mail transfer agent took, or whose removal a crash cut short. Younger ones than `ageMs`
 * may wait for their mail.
 */
export async function removeLoneSidecars(folder: string, ageMs: number): Promise<void> {
  for (const [name, ...others] of (await listMails(folder)).values()) {
    if (name === undefined || others.length > 0 || !isSidecar(name)) continue;
    const { mtimeMs } = await stat(path.join(folder, name)).catch(() => ({ mtimeMs: Infinity }));
    if (Math.floor(mtimeMs) <= Date.now() - ageMs) await rm(path.join(folder, name), { force: true });
  }
}

/** undefined where there is none: mails written by earlier versions have none. */
export function readSidecar(folder: string, name: string): Promise<Sidecar | undefined> {
  return readJsonFile(path.join(folder, `${name}.${SIDECAR}`), SidecarSchema);
}

/**
 * Sender and recipient of a message, one of each and on one line. For mails without a sidecar: earlier versions wrote
 * those, and an operator may put some into the outbox.
 */
function parseEnvelope(message: Buffer): { from: string; to: string } | undefined {
  const head = message.toString('latin1').split('\r\n\r\n', 1)[0] ?? '';
  const from = parseAddress(head, 'From');
  const to = parseAddress(head, 'To');
  return from === undefined || to === undefined ? undefined : { from, to };
}

function parseAddress(head: string, header: string): string | undefined {
  const line = new RegExp(`^${header}: (.+)$`, 'm').exec(head)?.[1] ?? '';
  return /<([^<>\s]+@[^<>\s]+)>\s*$/.exec(line)?.[1] ?? /^\s*([^<>\s]+@[^<>\s]+)\s*$/.exec(line)?.[1];
}

/** The message with its encoded words and base64 parts decoded, to search in. */
export function decodeMessage(message: string): string {
  const decode = (_: string, base64: string): string => Buffer.from(base64, 'base64').toString('utf8');
  return message
    .replaceAll(/=\?UTF-8\?B\?([\w+/=]*)\?=/gi, decode)
    .replaceAll(/(?<=Content-Transfer-Encoding: base64\r?\n(?:[\w-]+: .*\r?\n)*\r?\n)((?:[\w+/=]+\r?\n?)+)/gi, decode);
}
