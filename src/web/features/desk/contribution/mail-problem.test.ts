import { expect, test } from 'vitest';
import type { DeskEvent } from '#contract/desk.ts';
import { findMailProblem } from './contact-card.tsx';
import { contributionTexts } from './texts.ts';

const mail = (from: string, to: string, text: string | null = null): DeskEvent => ({
  id: 1,
  at: '2026-11-20T08:00:00Z',
  by: '',
  what: 'mail',
  from,
  to,
  text,
});

test.each([
  ['nothing was sent', [], undefined],
  ['it was sent', [mail('for_review', 'sent')], undefined],
  ['it was refused', [mail('for_review', 'refused', '550')], { outcome: 'refused', code: '550' }],
  ['its delivery is uncertain', [mail('published', 'unsure')], { outcome: 'unsure', code: '' }],
  ['there was no address', [mail('published', 'no_address')], { outcome: 'no_address', code: '' }],
  ['an older one was refused', [mail('published', 'sent'), mail('for_review', 'refused', '550')], undefined],
  ['the mail to the team was refused', [mail('new', 'refused', '550')], undefined],
] as const)('Desk: reports a mail problem if %s', (_name, events, problem) => {
  expect(findMailProblem(events)).toEqual(problem);
});

test('A receipt that was held back is told of in words that stay true on later days (0287)', () => {
  expect(contributionTexts.events.mail('receipt', 'limited', null)).not.toContain('heute');
});

test('A mail that the mail server never saw is not called refused, nor a changed address none (0287)', () => {
  const { events, mailProblem } = contributionTexts;
  expect(events.mail('review', 'refused', '550')).toContain('vom Mailserver abgelehnt');
  expect(mailProblem.refused.text('550')).toContain('Der Mailserver hat sie abgelehnt (550)');
  expect(`${events.mail('review', 'refused', null)} ${mailProblem.refused.text('')}`).not.toMatch(/abgelehnt/);
  const changed = `${events.mail('receipt', 'no_address', null)} ${mailProblem.no_address.text()}`;
  expect(changed).not.toMatch(/keine (E-Mail-)?Adresse/);
});
