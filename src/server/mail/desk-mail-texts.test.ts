import { describe, expect, test } from 'vitest';
import { DESK_MAILS, type DeskMail } from '#contract/desk.ts';
import { composeDeskMail } from './desk-mail-texts.ts';
import type { QueuedMail } from './desk-queue.ts';
import { composeMessage } from './message.ts';

const PLACE = { origin: 'https://beitraege.test', product: 'Assistent', isSenderRead: false };
const KEY = 'k'.repeat(43);
const LINK = `${PLACE.origin}/freigabe#k=${KEY}`;
const DESK = `${PLACE.origin}/admin/eingang/17`;
const PUBLISHED = 'https://beispiel.test/p?a=1&b=2';

const mailOf = (mail: DeskMail, changes: Partial<QueuedMail> = {}): QueuedMail => ({
  id: 1,
  claim: '00000000-0000-4000-8000-000000000000',
  mail,
  messageId: 'abc',
  createdAt: new Date('2026-11-20T10:00:00Z'),
  to: 'mira@beispiel.test',
  replyTo: 'team@haus.test',
  contribution: 17,
  area: 'firma-a',
  kind: 'interview',
  topic: 'tech-dive',
  contributor: 'Mira Ö',
  firstName: 'Mira',
  text: mail === 'published' ? PUBLISHED : null,
  channels: ['linkedin', 'instagram'],
  declined: [],
  withdrawn: [],
  received: null,
  count: 1,
  others: [],
  ...changes,
});

const compose = (mail: DeskMail, changes: Partial<QueuedMail> = {}) =>
  composeDeskMail(mailOf(mail, changes), PLACE, KEY);

const addressesIn = (text: string): string[] => text.match(/https?:\/\/[^\s"<>]+/g) ?? [];

describe.each(['review', 'review_reminder'] as const)('The mail %s', (kind) => {
  test('Carries its link once in the text, and as button and address in the HTML (0243)', () => {
    const { text, html } = compose(kind);
    expect(addressesIn(text)).toEqual([LINK]);
    expect([...html.matchAll(/<a href="([^"]*)"/g)].map(([, link]) => link)).toEqual([LINK]);
    expect(addressesIn(html)).toEqual([LINK, LINK]);
  });

  test('Says the same in both parts (0243)', () => {
    const { text, html } = compose(kind);
    const words = (part: string): string[] => part.match(/[\p{L}\d]+/gu) ?? [];
    const shown = html.replace(/^[\s\S]*?<body[^>]*>/, '').replaceAll(/<[^>]*>/g, ' ');
    expect(new Set(words(shown))).toEqual(new Set(words(text)));
    expect(text).toMatch(/\(LinkedIn, Instagram\)/);
  });

  test('Has the key in no header, where servers on the way would log it (0243)', async () => {
    const [head = ''] = String(await composeMessage(compose(kind), 'post@haus.test')).split('\r\n\r\n');
    expect(head).not.toContain('kkk');
  });
});

test('A new link asks for no answer where none waits for one (0262)', () => {
  const { subject, text } = compose('review', { channels: [] });
  expect(text).toContain(LINK);
  expect(`${subject} ${text}`).not.toMatch(/Passt das so|ob alles stimmt|wird nichts veröffentlicht/);
});

test.each(DESK_MAILS)('The mail %s loads nothing and does not report that it was read (posts)', async (kind) => {
  const hostile = '<img src="https://x.test/1.gif"><style>@import url(//x.test)</style>';
  const given = kind === 'published' ? {} : { text: hostile };
  const message = compose(kind, { firstName: hostile, contributor: hostile, ...given });
  const tags = new Set([...message.html.matchAll(/<(\w+)/g)].map(([, tag]) => tag));
  expect([...tags].filter((tag) => !['html', 'meta', 'body', 'p', 'br', 'a', 'strong'].includes(tag ?? ''))).toEqual(
    [],
  );
  const attributes = [...message.html.matchAll(/<\w+((?:\s+[\w-]+="[^"]*")*)\s*>/g)]
    .map(([, found]) => found)
    .join(' ');
  expect(attributes).not.toMatch(/\b(?:src|srcset|background|onload|ping)=|url\(/);
  for (const address of [...message.html.matchAll(/href="([^"]*)"/g)].map(([, link]) => link))
    expect([
      PUBLISHED.replace('&', '&amp;'),
      LINK,
      DESK,
      `${DESK}?ansicht=posts`,
      // Addresses in the team's own words become links.
      ...(kind === 'for_review' ? ['https://x.test/1.gif'] : []),
    ]).toContain(address);
  const raw = String(await composeMessage(message, 'post@haus.test'));
  expect(raw).not.toMatch(/^(?:Disposition-Notification-To|Return-Receipt-To|X-Confirm-Reading-To|X-.*Track.*):/im);
});

test('What the team or this server writes can be followed in programs that leave HTML as it is (§2.11)', () => {
  const linksIn = (mail: DeskMail, changes: Partial<QueuedMail>) =>
    [...compose(mail, changes).html.matchAll(/<a href="([^"]*)">([^<]*)</g)].map(([, link, shown]) => [link, shown]);
  const text = 'Hier: https://x.test/a?b=1&c_(2). Oder (https://w.test/d) „http://y.test/“, nicht javascript://z.test';
  const found = ['https://x.test/a?b=1&amp;c_(2)', 'https://w.test/d', 'http://y.test/'];
  expect(linksIn('for_review', { text })).toEqual(found.map((link) => [link, link]));
  const others = [{ contribution: 18, area: 'generic', kind: 'image' }];
  const desk = [DESK, DESK.replace('17', '18')];
  expect(linksIn('new', { count: 2, others })).toEqual(desk.map((link) => [link, link]));
  expect(linksIn('new', { contributor: 'https://x.test/' }), 'a name leads nowhere').toEqual([]);
});

test('Coloured text has a background, and a link breaks on a phone (WCAG 1.4.3, 1.4.10)', () => {
  const { html } = compose('review');
  const styles = [...html.matchAll(/<(\w+)[^>]* style="([^"]*)"/g)].map(([, tag, style]) => [tag, style] as const);
  expect(styles.find(([tag]) => tag === 'body')?.[1]).toMatch(/(?<![-\w])background:/);
  // All links of a review are longer than a phone is wide.
  expect(html).toMatch(/<body style="[^"]*overflow-wrap:anywhere/);
});

test('A long name is cut between characters, and an emoji stays one (§2.11)', () => {
  const { subject } = compose('new', { contributor: `${'x'.repeat(79)}🔧 Ada` });
  expect(subject.isWellFormed()).toBe(true);
  expect(subject).toMatch(/x🔧…$/u);
});

test('A sentence goes on in small letters after the greeting, and one more contribution is one (0287)', () => {
  const write = (mail: DeskMail, changes: Partial<QueuedMail>) => compose(mail, { channels: [], ...changes }).text;
  expect(write('new', {})).toContain('weil du Beiträge in „Assistent“ bearbeitest.');
  const withdrawn = ['linkedin'];
  expect(write('review_answer', { withdrawn })).toContain('Hallo,\n\nein veröffentlichter Post wurde zurückgezogen');
  expect(write('review_answer', { withdrawn, channels: ['x'] })).toContain('(X).\n\nEin veröffentlichter Post wurde');
  const no = write('review_answer', { declined: ['x', 'website'], withdrawn });
  expect(no).toContain('Hallo,\n\n2 Posts sollen nicht erscheinen (X, Website). Sind sie im Kanal schon geplant');
  expect(no).toContain('\n\nEin veröffentlichter Post wurde');
  const others = Array.from({ length: 19 }, () => ({ contribution: 3, area: 'firma-a', kind: 'image' }));
  expect(write('new', { count: 21, others })).toContain('… und 1 weiterer.');
  expect(write('new', { count: 22, others })).toContain('… und 2 weitere.');
});

test('The subject of a mail to the team names what is to be done first (0388)', () => {
  const subject = (changes: Partial<QueuedMail>) =>
    compose('review_answer', { contributor: '', ...changes }).subject.replace(/^.*: /, '');
  const declined = ['x'];
  expect(subject({ channels: [], declined })).toBe('Nicht veröffentlichen');
  expect(subject({ declined })).toBe('Änderung gewünscht');
  expect(subject({ declined, withdrawn: ['x'] })).toBe('Zustimmung zurückgezogen');
});

describe('The receipt', () => {
  const received = { words: 4, files: { image: 2, audio: 1 }, completedAt: new Date('2026-11-20T10:00:00Z') };
  const write = (retentionDays: number | undefined) =>
    composeDeskMail(mailOf('receipt', { received }), { ...PLACE, retentionDays }, KEY).text;

  test('Says what arrived, the Content-ID, what happens next, and when it will be deleted (receipts)', () => {
    const text = write(30);
    for (const part of ['Text: 4 Wörter', '2 Bilder', '1 Aufnahme', 'Content-ID: 17', 'Wie es weitergeht: '])
      expect(text).toContain(part);
    expect(text).toContain('Wir bewahren ihn bis zum 20. Dezember 2026 auf.');
  });

  test('A shorter period moves the day in later receipts, none names no day (receipts)', () => {
    expect(write(10)).toContain('bis zum 30. November 2026');
    expect(write(undefined)).not.toContain('bewahren');
  });

  test('Invites to answer only where somebody reads the answer (receipts)', () => {
    const words = (replyTo: string | null, isSenderRead: boolean) =>
      composeDeskMail(mailOf('receipt', { replyTo }), { ...PLACE, isSenderRead }, KEY).text.match(/[Aa]ntworte\b/g);
    expect(words('team@haus.test', false)).toHaveLength(2);
    expect(words(null, true)).toHaveLength(2);
    expect(words(null, false)).toBeNull();
  });
});
