import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';

export type ReadMail = Readonly<{
  file: string;
  to: string;
  from: string;
  replyTo: string;
  messageId: string;
  subject: string;
  text: string;
  html: string;
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
  const part = (type: string): string => {
    const encoded = new RegExp(`${type}[^]*?\r\n\r\n([^]*?)\r\n--`).exec(message)?.[1] ?? '';
    return Buffer.from(encoded, 'base64').toString('utf8');
  };
  const text = part('text/plain');
  return {
    file,
    to: header('To'),
    from: header('From'),
    replyTo: header('Reply-To'),
    messageId: header('Message-ID'),
    subject: decodedWords(header('Subject')),
    text,
    html: part('text/html'),
    link: /https?:\/\/\S+/.exec(text)?.[0] ?? '',
  };
}

function decodedWords(text: string): string {
  return text
    .replaceAll('?= =?', '?==?')
    .replaceAll(/=\?UTF-8\?B\?(.*?)\?=/g, (_, word: string) => Buffer.from(word, 'base64').toString('utf8'));
}
