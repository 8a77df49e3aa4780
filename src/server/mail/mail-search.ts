import { readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { syncFolder } from '#lib/durable-file.ts';
import { decodeMessage, isSidecar, listMails, readSidecar, stripState, type Sidecar } from './outbox.ts';

/** The address, the contribution or the mail's own id that mails are searched for. */
export type MailSubject =
  | Readonly<{ address: string }>
  | Readonly<{ contribution: number }>
  /** The id stands in the name of the mail's file. */
  | Readonly<{ letter: string }>;

/** The mails in the outbox, in whatever state. */
export function searchOutbox(folder: string) {
  return {
    /** Files of the mails that mention one of the subjects, the oldest first. */
    find: async (subjects: readonly MailSubject[]): Promise<readonly string[]> => {
      const mentions = createMatcher(subjects);
      const found: string[] = [];
      for (const [name, files] of await listMails(folder)) {
        const file = files.find((candidate) => !isSidecar(candidate)) ?? files[0];
        if (file !== undefined && mentions(name, await readText(folder, name, file))) found.push(file);
      }
      return found;
    },
    read: (file: string): Promise<Buffer> => readFile(path.join(folder, file)),
    /** Removes the mails of these files, with all that belongs to them. */
    remove: async (files: readonly string[]): Promise<void> => {
      if (files.length === 0) return;
      const mails = await listMails(folder);
      for (const file of files) {
        for (const part of mails.get(stripState(file)) ?? []) await rm(path.join(folder, part), { force: true });
      }
      await syncFolder(folder);
    },
  };
}

export type MailSearch = ReturnType<typeof searchOutbox>;

/** A mail that is sent meanwhile has no text any more. */
async function readText(folder: string, name: string, file: string): Promise<string> {
  const sidecar = await readSidecar(folder, name);
  if (sidecar !== undefined) return joinSidecar(sidecar);
  return readFile(path.join(folder, file), 'latin1').then(decodeMessage, () => '');
}

function joinSidecar({ from, to, replyTo = '', subject, text }: Sidecar): string {
  return [from, to, replyTo, subject, text].join('\n');
}

const CONTRIBUTION = /\/admin\/eingang\/(\d+)/g;
const LETTER = /_([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})/g;

/** Matches a whole address anywhere, a contribution by the address of its screen, a mail by its file's name. */
function createMatcher(subjects: readonly MailSubject[]): (name: string, text: string) => boolean {
  const addresses = subjects.flatMap((subject) => ('address' in subject ? [matchAddress(subject.address)] : []));
  const ids = new Set(
    subjects.map((subject) =>
      'contribution' in subject ? `${subject.contribution}` : 'letter' in subject && subject.letter,
    ),
  );
  const names = (text: string, pattern: RegExp): boolean =>
    [...text.matchAll(pattern)].some(([, id]) => id !== undefined && ids.has(id));
  return (name, text) =>
    names(name, LETTER) ||
    names(text, CONTRIBUTION) ||
    addresses.some((pattern) => pattern.test(name) || pattern.test(text));
}

function matchAddress(address: string): RegExp {
  const escaped = address.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');
  return new RegExp(`(?<![\\w.+-])${escaped}(?![\\w-]|\\.\\w)`, 'iu');
}
