import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readEnv } from '../env.ts';
import { wordAccountMail } from './account-mail-texts.ts';
import { getSender } from './index.ts';
import { renderWording } from './mail-layout.ts';
import { composeMessage, getAddress, parseMailbox, type Message } from './message.ts';

const FROM = 'no-reply@beispiel.test';
const BRAND = { BRAND_PRODUCT: 'Assistent', BRAND_ASSOCIATION: 'Haus der Technik' };
const MAIL: Message = {
  id: 'abc',
  at: new Date('2026-11-20T10:00:00Z'),
  to: 'a@beispiel.test',
  subject: 'Hallo',
  text: '',
  html: '',
};

async function compose(changes: Partial<Message> = {}, from = FROM): Promise<string> {
  return String(await composeMessage({ ...MAIL, ...changes }, from));
}

/** Decodes a header as RFC 2047 says. */
function decodeHeader(message: string, name: string): string {
  const value = new RegExp(`^${name}: (.*(?:\r\n .*)*)`, 'm').exec(message)?.[1] ?? '';
  return value
    .replaceAll('\r\n', '')
    .replaceAll('?= =?', '?==?')
    .replaceAll(/=\?UTF-8\?B\?(.*?)\?=/g, (_, word: string) => Buffer.from(word, 'base64').toString());
}

test('RFC 5322: ASCII, CRLF, short lines, both parts, whatever the text', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), async (subject, text) => {
      const message = await compose({ subject, text, html: `<p>${text}</p>` });
      expect(message).toMatch(/^[\x20-\x7e\r\n]*$/);
      expect(message.split('\r\n').every((line) => line.length <= 998 && !/[\r\n]/.test(line))).toBe(true);
      const [head = ''] = message.split('\r\n\r\n');
      const names = new Set(head.match(/^[A-Z][\w-]*(?=:)/gm));
      names.delete('Subject');
      expect(names).toEqual(
        new Set(['From', 'To', 'Date', 'Message-ID', 'MIME-Version', 'Auto-Submitted', 'Content-Type']),
      );
      const parts = [...message.matchAll(/base64\r\n\r\n([\s\S]*?)\r\n--/g)].map(([, part = '']) => part);
      expect(parts.map((part) => Buffer.from(part, 'base64').toString())).toEqual([text, `<p>${text}</p>`]);
    }),
  );
});

test('Names sender, recipient, time and id', async () => {
  const message = await compose({ replyTo: 'team@haus.test' }, 'Redaktion Müller <post@haus.test>');
  expect(decodeHeader(message, 'From')).toBe('Redaktion Müller <post@haus.test>');
  expect(message).toMatch(/^To: a@beispiel\.test\r$/m);
  expect(message).toMatch(/^Reply-To: team@haus\.test\r$/m);
  expect(message).toMatch(/^Date: Fri, 20 Nov 2026 10:00:00 \+0000\r$/m);
  expect(message).toMatch(/^Message-ID: <abc@haus\.test>\r$/m);
});

test.each([
  [{}, 'Assistent <no-reply@beitraege.test>'],
  [{ MAIL_FROM: 'post@haus.test' }, 'Assistent <post@haus.test>'],
  [{ MAIL_FROM: 'Redaktion <post@haus.test>' }, 'Redaktion <post@haus.test>'],
])('With %o a list of mails shows who wrote (D8, 0390)', (settings, shown) => {
  const env = { BRAND_PRODUCT: 'Assistent', PUBLIC_URL: 'https://beitraege.test' };
  expect(getSender(readEnv({ ...env, ...settings }))).toBe(shown);
});

test.each([
  ['Haus: Presse (Bonn) <post@bücher.test>', 'Haus: Presse (Bonn)'],
  ['"Müller, GmbH" <post@bücher.test>', 'Müller, GmbH'],
  ['Müller, GmbH <post@bücher.test>', 'Müller, GmbH'],
  ['post@bücher.test', undefined],
])('The sender %s keeps its name, and its host is one that every mail server takes', async (from, name) => {
  const message = await compose({}, from);
  const address = 'post@xn--bcher-kva.test';
  const shown = decodeHeader(message, 'From').replaceAll('"', '');
  expect(shown).toBe(name === undefined ? address : `${name} <${address}>`);
  expect(message).toContain('Message-ID: <abc@xn--bcher-kva.test>');
  expect(getAddress(from)).toBe(address);
});

test('A line break in a header starts no other header', async () => {
  const message = await compose({ to: 'a@b.test\r\nBcc: x@y.test', subject: 'Hallo\nBcc: x@y.test' });
  expect(message).not.toMatch(/^Bcc:/m);
});

test.each(['Neuer Beitrag 1: Bild von =?UTF-8?B?w5bDpA==?=', 'Grüße =?UTF-8?B?w5bDpA==?='])(
  'The subject %j, which looks like encoded words, stays the text it is (RFC 2047 §7)',
  async (subject) => {
    expect(decodeHeader(await compose({ subject }), 'Subject')).toBe(subject);
  },
);

test.each([
  ['mira@beispiel.test', 'mira@beispiel.test'],
  [' mira@bücher.test ', 'mira@xn--bcher-kva.test'],
  ['a@b.test, c@d.test', undefined],
  ['a@b.test\nBcc: c@d.test', undefined],
  ['"a b"@c.test', undefined],
])('The mailbox in %j is %j', (given, mailbox) => {
  expect(parseMailbox(given)).toBe(mailbox);
});

test('German texts say du, whose they are, link and how long it holds, and the code where a form asks for it', () => {
  for (const kind of ['signup', 'invite', 'magiclink', 'recovery', 'email_change'] as const) {
    const facts = { kind, link: 'https://x.test/?a=1&b="', code: '123456', validSeconds: 5_400 };
    const mail = renderWording(wordAccountMail(facts, BRAND));
    expect(mail.text).toContain('90 Minuten');
    for (const part of [mail.text, mail.html]) expect(part).toContain('Assistent · Haus der Technik');
    expect(mail.text.includes('123456') && mail.html.includes('123456')).toBe(['signup', 'magiclink'].includes(kind));
    expect(/Code/.test(mail.text)).toBe(mail.text.includes('123456'));
    expect(`${mail.subject} ${mail.text}`).toMatch(/\b(du|dein|deine|deiner|dich|dir)\b/i);
    expect(mail.text).not.toMatch(/\bSie\b|\bIhr\b/);
    expect(mail.html).toContain('href="https://x.test/?a=1&amp;b=&quot;"');
  }
});
