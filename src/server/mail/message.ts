import { domainToASCII } from 'node:url';
import MailComposer from 'nodemailer/lib/mail-composer';
import { encodeWord } from 'nodemailer/lib/mime-funcs';

/** One mail to one mailbox; `html` says the same as `text`. */
export type Message = Readonly<{
  /** Makes file name and Message-ID, so it is the same at every attempt. */
  id: string;
  at: Date;
  to: string;
  /** Receives the answers instead of the sender. */
  replyTo?: string | undefined;
  subject: string;
  text: string;
  html: string;
  /** Of the link in it: the backend may end it before the mail is sent. */
  token?: string | undefined;
}>;

/** `from` is an address, or a name with an address in angle brackets. */
export function composeMessage({ id, at, to, replyTo, subject, text, html }: Message, from: string): Promise<Buffer> {
  const part = (type: string, content: string) => ({
    contentType: `text/${type}; charset=utf-8`,
    content,
    contentTransferEncoding: 'base64',
  });
  return new MailComposer({
    // As objects: a name that looks like several addresses stays one.
    from: { name: /^"?(.*?)"?\s*<[^<>]+>$/.exec(from)?.[1] ?? '', address: getAddress(from) },
    to: { name: '', address: to },
    ...(replyTo === undefined ? {} : { replyTo: { name: '', address: replyTo } }),
    subject,
    date: at,
    messageId: `<${id}@${getAddress(from).split('@')[1] ?? 'localhost'}>`,
    headers: { 'Auto-Submitted': 'auto-generated' },
    alternatives: [part('plain', text), part('html', html)],
    textEncoding: 'base64',
    baseBoundary: id,
    newline: 'windows',
    disableFileAccess: true,
    disableUrlAccess: true,
  })
    .compile()
    .setHeader(protectSubject(subject))
    .build();
}

/** Plain text that looks like an encoded word would be decoded by the reader's program (RFC 2047 §7). */
function protectSubject(subject: string): Array<{ key: string; value: { prepared: true; value: string } }> {
  if (!subject.includes('=?') || !/^[\x20-\x7e]*$/.test(subject)) return [];
  return [{ key: 'Subject', value: { prepared: true, value: encodeWord(subject, 'B', 52) } }];
}

/** The address in `Name <address>`, as a mail server takes it. */
export function getAddress(from: string): string {
  const address = /<([^<>]+)>\s*$/.exec(from)?.[1] ?? from.trim();
  return parseMailbox(address) ?? address;
}

/** One mailbox and nothing else (RFC 5321 without quoted names), as a mail server takes it; else undefined. */
export function parseMailbox(given: string): string | undefined {
  const [, name, host] = /^([\w.!#$%&'*+/=?^`{|}~-]+)@([^@\s]+)$/.exec(given.trim()) ?? [];
  const domain = host === undefined ? '' : domainToASCII(host);
  return name === undefined || !/^[\w.-]+$/.test(domain) ? undefined : `${name}@${domain}`;
}
