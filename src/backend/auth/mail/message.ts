import type { Mail } from './mailer.ts';

/** `from` is an address, or a name with an address in angle brackets. */
export type Envelope = Readonly<{ from: string; at: Date; id: string }>;

const CRLF = '\r\n';
/** Octets of text in one encoded word: RFC 2047 allows 75 characters, `=?UTF-8?B?…?=` included. */
const WORD_OCTETS = 45;

/** An RFC 5322 message with a plain and an HTML part (RFC 2046), all of it ASCII. */
export function messageOf(mail: Mail, { from, at, id }: Envelope): string {
  const boundary = `=_${id}`;
  const sender = senderOf(from);
  const domain = sender.address.split('@')[1] ?? 'localhost';
  const head = [
    `From: ${sender.header}`,
    `To: ${oneLine(mail.to)}`,
    ...(mail.replyTo === undefined ? [] : [`Reply-To: ${oneLine(mail.replyTo)}`]),
    `Subject: ${encodedWords(oneLine(mail.subject))}`,
    `Date: ${at.toUTCString().replace('GMT', '+0000')}`,
    `Message-ID: <${id}@${domain}>`,
    'MIME-Version: 1.0',
    'Auto-Submitted: auto-generated',
    `Content-Type: multipart/alternative; boundary="${boundary}"`,
  ];
  const parts = [part('plain', mail.text), part('html', mail.html)].map((text) => `--${boundary}${CRLF}${text}`);
  return [...head, '', ...parts, `--${boundary}--`, ''].join(CRLF);
}

function part(subtype: string, text: string): string {
  const encoded = Buffer.from(text).toString('base64').match(/.{1,76}/g) ?? ['']; // prettier-ignore
  const head = [`Content-Type: text/${subtype}; charset=utf-8`, 'Content-Transfer-Encoding: base64', ''];
  return [...head, ...encoded].join(CRLF);
}

function senderOf(from: string): { header: string; address: string } {
  const [, name, address] = /^(.*?)\s*<([^<>]+)>$/.exec(oneLine(from).trim()) ?? [];
  if (name === undefined || address === undefined) return { header: oneLine(from).trim(), address: from.trim() };
  const word = /^[\w .-]*$/.test(name) ? name : encodedWords(name, { always: true });
  return { header: `${word} <${address}>`.trim(), address };
}

/** A line break in a header would start another header. */
function oneLine(text: string): string {
  return text.replaceAll(/[\r\n]+/g, ' ');
}

/** `always`: also plain text that would mean something else in a header of addresses. */
function encodedWords(text: string, { always = false } = {}): string {
  // Plain text that looks like an encoded word would be decoded by the reader's program.
  if (!always && /^[\x20-\x7e]*$/.test(text) && !text.includes('=?')) return text;
  const words: string[] = [''];
  for (const character of text) {
    const last = words.at(-1) ?? '';
    if (Buffer.byteLength(last + character) > WORD_OCTETS) words.push(character);
    else words[words.length - 1] = last + character;
  }
  return words.map((word) => `=?UTF-8?B?${Buffer.from(word).toString('base64')}?=`).join(`${CRLF} `);
}
