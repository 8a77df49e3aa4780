import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { renameDurably, syncFolder } from '#lib/durable-file.ts';
import type { Env } from '../env.ts';

/**
 * What has become of a mail stands in its file's name: `.eml` waits; `.sending` was begun; `.unsure` was handed over
 * without an answer and is never sent again; `.failed` was refused for good; `.expired` found no server in time.
 */
type MailState = 'eml' | 'sending' | 'unsure' | 'failed' | 'expired';

export type OutboxFolder = Readonly<{
  /** Names without their state, the oldest first. */
  list: (state: MailState) => Promise<readonly string[]>;
  read: (name: string) => Promise<Buffer>;
  move: (name: string, from: MailState, to: MailState) => Promise<void>;
  remove: (name: string, state: MailState) => Promise<void>;
}>;

export const folderOf = (env: Env): string => path.join(env.DATA_DIR, 'outbox');

export function openOutbox(folder: string): OutboxFolder {
  const file = (name: string, state: MailState): string => path.join(folder, `${name}.${state}`);
  return {
    list: async (state) => {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const names = (await readdir(folder)).filter((name) => !name.startsWith('.') && name.endsWith(`.${state}`));
      return names.map((name) => name.slice(0, -state.length - 1)).toSorted();
    },
    read: (name) => readFile(file(name, 'eml')),
    move: (name, from, to) => renameDurably(file(name, from), file(name, to)),
    remove: async (name, state) => {
      await rm(file(name, state));
      await syncFolder(folder);
    },
  };
}

/** Sender and recipient of a message that the authentication service wrote: one of each, on one line. */
export function envelopeOf(message: Buffer): { from: string; to: string } | undefined {
  const head = message.toString('latin1').split('\r\n\r\n', 1)[0] ?? '';
  const from = addressIn(head, 'From');
  const to = addressIn(head, 'To');
  return from === undefined || to === undefined ? undefined : { from, to };
}

function addressIn(head: string, header: string): string | undefined {
  const line = new RegExp(`^${header}: (.+)$`, 'm').exec(head)?.[1] ?? '';
  return /<([^<>\s]+@[^<>\s]+)>\s*$/.exec(line)?.[1] ?? /^\s*([^<>\s]+@[^<>\s]+)\s*$/.exec(line)?.[1];
}
