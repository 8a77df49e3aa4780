import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';

export type ReadMail = Readonly<{
  file: string;
  to: string;
  from: string;
  subject: string;
  text: string;
  link: string;
}>;

/** The mails in DATA_DIR/outbox, the oldest first. */
export async function mailsIn(dataDir: string): Promise<readonly ReadMail[]> {
  const folder = path.join(dataDir, 'outbox');
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.eml')).toSorted();
  return Promise.all(names.map(async (file) => readMail(file, await readFile(path.join(folder, file), 'utf8'))));
}

/** The parts of a message of ours, its plain text decoded. */
export function readMail(file: string, message: string): ReadMail {
  const header = (name: string): string =>
    (new RegExp(`^${name}: (.*(?:\r\n .*)*)`, 'm').exec(message)?.[1] ?? '').replaceAll('\r\n', '');
  const encoded = /text\/plain[^]*?\r\n\r\n([^]*?)\r\n--/.exec(message)?.[1] ?? '';
  const text = Buffer.from(encoded, 'base64').toString('utf8');
  return {
    file,
    to: header('To'),
    from: header('From'),
    subject: decodedWords(header('Subject')),
    text,
    link: /https?:\/\/\S+/.exec(text)?.[0] ?? '',
  };
}

function decodedWords(text: string): string {
  return text
    .replaceAll('?= =?', '?==?')
    .replaceAll(/=\?UTF-8\?B\?(.*?)\?=/g, (_, word: string) => Buffer.from(word, 'base64').toString('utf8'));
}
