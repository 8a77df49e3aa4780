import { screen, waitFor, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import type { DeskEvent } from '#contract/desk.ts';
import { deskContribution, deskPage } from '#tests/support/web/desk-items.ts';
import { refusal, renderDesk } from '#tests/support/web/render-desk.tsx';
import { findMailProblem } from './contact-card.tsx';
import { ContributionScreen } from './index.tsx';
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
  [
    'the address was corrected since',
    [{ ...mail('', ''), what: 'address' }, mail('review', 'refused', '550')],
    undefined,
  ],
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

const OPEN = { name: 'Adresse berichtigen' };

/** At the desk; `change` answers a correction. */
const openDesk = (change: () => unknown, contribution = deskContribution({ version: 3 }), config = {}) =>
  renderDesk((search) => <ContributionScreen id={7} address={search} />, {
    config,
    answers: {
      desk_contribution: () => contribution,
      desk_inbox: () => deskPage([]),
      desk_colleagues: () => [],
      desk_change: change,
    },
  });

test('Desk: corrects a mistyped address, says which one counts, and gives the focus back (0385)', async () => {
  const email = 'ada@beispiel.example';
  const { user, requests } = openDesk(() => deskContribution({ version: 4, contributorEmail: email }));
  const opener = await screen.findByRole('button', OPEN);
  await user.click(opener);
  const dialog = within(await screen.findByRole('dialog', { name: 'E-Mail-Adresse berichtigen' }));
  const field = dialog.getByLabelText<HTMLInputElement>('E-Mail');
  expect(field.value).toBe('ada@beispiel.test');
  await user.clear(field);
  await user.type(field, 'ada');
  await user.click(dialog.getByRole('button', { name: 'Berichtigen' }));
  expect(await dialog.findByText('Das ist keine E-Mail-Adresse.')).toBeTruthy();
  await user.type(field, '@beispiel.example ');
  await user.click(dialog.getByRole('button', { name: 'Berichtigen' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  const changes = requests.filter(({ name }) => name === 'desk_change').map(({ args }) => args);
  expect(changes).toEqual([{ id: 7, version: 3, change: { email } }]);
  expect(await screen.findByText(`Die Adresse ist jetzt ${email}`)).toBeTruthy();
  expect(screen.getByRole('link', { name: `E-Mail an ${email} schreiben` })).toBeTruthy();
  await waitFor(() => expect(document.activeElement).toBe(opener));
});

test('Desk: an address that was not corrected stays in its dialog, with the reason (0385)', async () => {
  const { user } = openDesk(() => refusal(409, 'PT409'));
  await user.click(await screen.findByRole('button', OPEN));
  await user.click(screen.getByRole('button', { name: 'Berichtigen' }));
  const dialog = within(screen.getByRole('dialog'));
  expect(await dialog.findByText('Jemand anderes war schneller.')).toBeTruthy();
  await user.click(dialog.getByRole('button', { name: 'Abbrechen' }));
  await user.click(screen.getByRole('button', OPEN));
  expect(within(screen.getByRole('dialog')).queryByText('Jemand anderes war schneller.')).toBeNull();
});

test('Desk: an address that was not corrected is shown again where its dialog was closed (0385)', async () => {
  const held = Promise.withResolvers<unknown>();
  const { user } = openDesk(() => held.promise);
  await user.click(await screen.findByRole('button', OPEN));
  await user.type(screen.getByLabelText('E-Mail'), 'x{Enter}{Escape}');
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  held.resolve(refusal(409, 'PT409'));
  const dialog = within(await screen.findByRole('dialog'));
  expect(dialog.getByText('Jemand anderes war schneller.')).toBeTruthy();
  expect(dialog.getByLabelText<HTMLInputElement>('E-Mail').value).toBe('ada@beispiel.testx');
});

test.each([
  [{}, true],
  [{ deskMails: false }, false],
])('Desk: promises a new link with %o only where mails go out (0385)', async (config, promised) => {
  const { user } = openDesk(() => undefined, undefined, config);
  await user.click(await screen.findByRole('button', OPEN));
  const words = screen.getByRole('dialog').textContent;
  expect(words).toContain('gilt dann nicht mehr');
  expect(words.includes('geht der neue Link von selbst hinaus')).toBe(promised);
});

test.each([
  ['an account', { finished: false }],
  ['nobody', { contributorEmail: null }],
] as const)('Desk: the address of %s is not for the desk to correct (0385)', async (_whose, facts) => {
  openDesk(() => undefined, deskContribution(facts));
  expect(await screen.findByText('Kontakt')).toBeTruthy();
  expect(screen.queryByRole('button', OPEN)).toBeNull();
});
