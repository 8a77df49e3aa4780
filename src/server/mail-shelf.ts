import { readdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { syncFolder } from '#lib/durable-file.ts';

/** Whom or what mails may be about. */
export type MailSubject =
  | Readonly<{ address: string }>
  | Readonly<{ contribution: number }>
  /** The mail itself: its id stands in the name of its file. */
  | Readonly<{ letter: string }>;

/** The mails that lie in the outbox, whatever has become of them, by whom they mention. */
export type MailShelf = Readonly<{
  /** Names of files, the oldest first. */
  about: (subjects: readonly MailSubject[]) => Promise<readonly string[]>;
  read: (name: string) => Promise<Buffer>;
  remove: (names: readonly string[]) => Promise<void>;
}>;

export function openShelf(folder: string): MailShelf {
  return {
    about: async (subjects) => {
      const isAbout = lookFor(subjects);
      const found: string[] = [];
      for (const name of await names(folder)) {
        // A mail that is sent meanwhile is gone.
        const text = await readFile(path.join(folder, name), 'latin1').then(readable, () => '');
        if (isAbout(name, text)) found.push(name);
      }
      return found;
    },
    read: (name) => readFile(path.join(folder, name)),
    remove: async (names) => {
      for (const name of names) await rm(path.join(folder, name), { force: true });
      if (names.length > 0) await syncFolder(folder);
    },
  };
}

async function names(folder: string): Promise<string[]> {
  const all: string[] = await readdir(folder).catch(() => []);
  return all.toSorted();
}

const CONTRIBUTION = /\/admin\/eingang\/(\d+)/g;
const LETTER = /_([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})/g;

/** An address as a whole, wherever it stands; a contribution by the address of its screen; a letter by its file's name. */
function lookFor(subjects: readonly MailSubject[]): (name: string, text: string) => boolean {
  const addresses = subjects.flatMap((subject) => ('address' in subject ? [addressPattern(subject.address)] : []));
  const known = new Set(
    subjects.map((subject) =>
      'contribution' in subject ? `${subject.contribution}` : 'letter' in subject && subject.letter,
    ),
  );
  const names = (text: string, pattern: RegExp): boolean =>
    [...text.matchAll(pattern)].some(([, id]) => id !== undefined && known.has(id));
  return (name, text) =>
    names(name, LETTER) ||
    names(text, CONTRIBUTION) ||
    addresses.some((pattern) => pattern.test(name) || pattern.test(text));
}

function addressPattern(address: string): RegExp {
  const escaped = address.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');
  return new RegExp(`(?<![\\w.+-])${escaped}(?![\\w-]|\\.\\w)`, 'iu');
}

/** Header, encoded words and parts of a message of ours, decoded. */
function readable(message: string): string {
  const decoded = (_: string, base64: string): string => Buffer.from(base64, 'base64').toString('utf8');
  return message
    .replaceAll(/=\?UTF-8\?B\?([\w+/=]*)\?=/gi, decoded)
    .replaceAll(/(?<=Content-Transfer-Encoding: base64\r?\n(?:[\w-]+: .*\r?\n)*\r?\n)((?:[\w+/=]+\r?\n?)+)/gi, decoded);
}
