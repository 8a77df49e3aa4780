import fc from 'fast-check';
import { expect, test } from 'vitest';
import { messageOf } from './message.ts';
import { mailOf } from './texts.ts';

const envelope = { from: 'no-reply@beispiel.test', at: new Date('2026-11-20T10:00:00Z'), id: 'abc' };

test('RFC 5322: ASCII, CRLF, short lines, both parts, whatever the text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), (subject, text) => {
      const message = messageOf({ to: 'a@beispiel.test', subject, text, html: `<p>${text}</p>` }, envelope);
      expect(message).toMatch(/^[\x20-\x7e\r\n]*$/);
      expect(message.split('\r\n').every((line) => line.length <= 998 && !/[\r\n]/.test(line))).toBe(true);
      const [head = ''] = message.split('\r\n\r\n');
      expect(head.match(/^[A-Z][\w-]*:/gm)).toEqual([
        'From:', 'To:', 'Subject:', 'Date:', 'Message-ID:', 'MIME-Version:', 'Auto-Submitted:', 'Content-Type:',
      ]); // prettier-ignore
      const part = /text\/plain[\s\S]*?\r\n\r\n([\s\S]*?)\r\n--/.exec(message)?.[1] ?? '';
      expect(Buffer.from(part, 'base64').toString()).toBe(text);
    }),
  );
});

test('a line break in a header starts no other header', () => {
  const message = messageOf(
    { to: 'a@b.test\r\nBcc: x@y.test', subject: 'Hallo\nBcc: x@y.test', text: '', html: '' },
    envelope,
  );
  expect(message).not.toMatch(/^Bcc:/m);
});

test('A subject that looks like encoded words stays the text it is (RFC 2047 §7)', () => {
  const subject = 'Neuer Beitrag 1: Bild von =?UTF-8?B?w5bDpA==?=';
  const message = messageOf({ to: 'a@b.test', subject, text: '', html: '' }, envelope);
  const words = [...message.matchAll(/=\?UTF-8\?B\?([\w+/=]+)\?=/g)].map(([, word = '']) => word);
  expect(Buffer.concat(words.map((word) => Buffer.from(word, 'base64'))).toString()).toBe(subject);
});

test('German texts say du, name link, code and how long they hold', () => {
  for (const kind of ['signup', 'invite', 'magiclink', 'recovery', 'email_change'] as const) {
    const mail = mailOf(kind, { to: 'a@b.test', link: 'https://x.test/?a=1&b="', code: '123456', validSeconds: 5_400 });
    expect(mail.text).toMatch(/123456[\s\S]*90 Minuten/);
    expect(`${mail.subject} ${mail.text}`).toMatch(/\b(du|dein|deine|deiner|dich|dir)\b/i);
    expect(mail.text).not.toMatch(/\bSie\b|\bIhr\b/);
    expect(mail.html).toContain('href="https://x.test/?a=1&amp;b=&quot;"');
  }
});
