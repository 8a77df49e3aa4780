import { act, screen, waitFor, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import type { OwnContribution } from '#contract/own-contributions.ts';
import { refusal, renderDesk, unreachable, type DeskAnswers } from '#tests/support/web/render-desk.tsx';
import { isLinked, keepLinkedKey } from '#web/submission/keys.ts';
import { holdPageFor } from '#web/submission/use-running-work.ts';
import { OwnContributionsScreen } from './index.tsx';
import { UnfinishedSection } from './unfinished-section.tsx';

const own = (id: number): OwnContribution => ({
  id,
  createdAt: '2026-11-01T10:00:00Z',
  kind: 'interview',
  topic: null,
  area: 'generic',
  files: 0,
  transcript: false,
  state: 'received',
  links: [],
});

const open = (answers: DeskAnswers) => renderDesk(() => <OwnContributionsScreen />, { answers });
const rows = () => screen.getByRole('list', { name: 'Meine Beiträge' }).children;

test('Older ones follow on a press, and without a network the list says so and goes on (posts)', async () => {
  let away = true;
  const all = Array.from({ length: 30 }, (_, at) => own(30 - at));
  const { user, requests } = open({
    own_contributions: ({ before_id: before }: { before_id?: number }) =>
      away ? unreachable() : all.filter(({ id }) => before === undefined || id < before).slice(0, 25),
  });
  expect(await screen.findByText('Deine Beiträge konnten nicht geladen werden')).toBeTruthy();
  away = false;
  await user.click(screen.getByRole('button', { name: 'Erneut versuchen' }));
  await waitFor(() => expect(rows()).toHaveLength(25));
  expect(screen.queryByText('Deine Beiträge konnten nicht geladen werden')).toBeNull();
  await user.click(screen.getByRole('button', { name: 'Weitere anzeigen' }));
  await waitFor(() => expect(rows()).toHaveLength(30));
  expect(requests.at(-1)?.args).toEqual({ before_at: '2026-11-01T10:00:00Z', before_id: 6 });
  expect(screen.queryByRole('button', { name: 'Weitere anzeigen' })).toBeNull();
  expect(document.activeElement, 'WCAG 2.4.3').toBe(rows()[25]);
});

test('What was begun names no number that only the newest page was counted for (posts)', async () => {
  const row = { state: 'unfinished', createdAt: new Date().toISOString() } as const;
  const page = Array.from({ length: 25 }, (_, at) => ({ ...own(30 - at), ...row }));
  renderDesk(() => <UnfinishedSection />, { answers: { own_contributions: () => page } });
  expect((await screen.findByRole('link')).textContent).toBe('Alle ansehen');
});

test.each([
  ['firma_a', '/firma-a'],
  ['vdi_admin', '/'],
] as const)('Without a contribution the list of %s leads to the first one, from %s (posts)', async (role, home) => {
  const { rechecks } = renderDesk(() => <OwnContributionsScreen />, {
    role,
    answers: { own_contributions: () => [] },
  });
  const first = await screen.findByRole('link', { name: 'Ersten Beitrag einreichen' });
  expect(first.getAttribute('href')).toBe(home);
  expect(rechecks(), 'a login that was ended elsewhere sees none either').toBe(1);
});

test('An owner who came by the own link as a guest may end the contribution after the login (D9, 0257)', async () => {
  keepLinkedKey('7', 'k'.repeat(43));
  const row = { ...own(7), state: 'unfinished', transcript: true } as const;
  const { user, place } = open({ own_contributions: () => [row] });
  await user.click(await screen.findByRole('button', { name: /Weitermachen/ }));
  expect(place()).toBe('/thank-you');
  expect(isLinked('7'), 'the contact details are the own').toBe(false);
});

test.each([
  ['the start page', () => <UnfinishedSection />],
  ['the own contributions', () => <OwnContributionsScreen />],
])('Files that are sent after their screen was left are not missed on %s, and it asks anew (0278)', async (_, show) => {
  const row = { ...own(7), kind: 'video', state: 'unfinished', createdAt: new Date().toISOString() } as const;
  let files = 0;
  const release = holdPageFor(7);
  renderDesk(show, { answers: { own_contributions: () => [{ ...row, files }] } });
  await screen.findByText('Deine Dateien werden gerade gesendet...');
  expect(screen.queryByRole('button', { name: /^(Weitermachen|Verwerfen)/ })).toBeNull();
  files = 1;
  act(release);
  await screen.findByText('Es fehlen noch: deine Kontaktdaten. Danach geht der Beitrag ans Team.');
  await screen.findByRole('button', { name: /^Weitermachen/ });
});

test('Says where a published post is to be seen in the words of its channel (posts)', async () => {
  const links = ['linkedin', 'website', 'newsletter'].map((channel) => ({ channel, url: `https://x.test/${channel}` }));
  open({ own_contributions: () => [{ ...own(1), state: 'published', links }] });
  await waitFor(() => expect(rows()).toHaveLength(1));
  const names = ['auf LinkedIn', 'auf der Website', 'im Newsletter'].map((place) => `Post ${place} ansehen`);
  expect(screen.getAllByRole('link', { name: /^Post / }).map((link) => link.textContent)).toEqual(names);
});

test('Names the Content-ID, with which people ask for an erasure (trust)', async () => {
  open({ own_contributions: () => [own(17)] });
  const shown = await screen.findByText('Content-ID 17');
  expect(shown.parentElement?.textContent).toBe('01.11.2026\u00A0· Content-ID 17');
});

test.each([undefined, true, false])(
  'A new link is offered where it is sent: deskMails %s (posts)',
  async (deskMails) => {
    const states = ['waiting', 'in_progress', 'published', 'closed'] as const;
    const list = states.map((state, at) => ({ ...own(at), state, review: true }));
    renderDesk(() => <OwnContributionsScreen />, { answers: { own_contributions: () => list }, config: { deskMails } });
    await waitFor(() => expect(rows()).toHaveLength(4));
    const offered = screen.queryAllByRole('button', { name: /^Neuen Link schicken: / });
    expect(offered, 'a yes can be taken back').toHaveLength(deskMails === false ? 0 : 3);
    expect(new Set(offered.map(({ ariaLabel }) => ariaLabel)).size, 'each its own').toBe(offered.length);
    expect(screen.queryAllByText(/kannst du auch ein Ja zurückziehen/)).toHaveLength(deskMails === false ? 0 : 2);
    expect(screen.queryByText(/Antwort ändern/), 'not of a text that is rewritten or stopped').toBeNull();
  },
);

test.each([
  ['Schau in dein Postfach', true],
  ['Hier ist kein Mailversand eingerichtet', false],
])('Who asks for a new link reads: %s (posts)', async (said, mailServer) => {
  const answers = { own_contributions: () => [{ ...own(1), state: 'waiting' }], own_review_link: () => null };
  const { user } = renderDesk(() => <OwnContributionsScreen />, { answers, config: { mailServer } });
  await user.click(await screen.findByRole('button', { name: /^Neuen Link schicken/ }));
  await waitFor(() => expect(screen.getByText(/Postfach|Mailversand/).textContent).toContain(said));
});

test('Who comes back from the review page in another tab reads where it stands now (posts)', async () => {
  const states = ['waiting', 'in_progress'] as const;
  const { requests } = open({
    own_contributions: () => [{ ...own(1), state: states[requests.length - 1] ?? 'closed' }],
  });
  await screen.findByText('Wartet auf dich');
  act(() => void window.dispatchEvent(new Event('visibilitychange')));
  await screen.findByText('In Arbeit');
  expect(requests).toHaveLength(2);
});

const begun = (id: number): OwnContribution => ({ ...own(id), state: 'unfinished' });

test('What was handed in meanwhile is not discarded: it says so, and the list follows (0420)', async () => {
  let state: OwnContribution['state'] = 'unfinished';
  const { user } = open({
    own_contributions: () => [{ ...own(7), state }],
    discard_contribution: () => {
      state = 'received';
      return refusal(409, 'PT409');
    },
  });
  await user.click(await screen.findByRole('button', { name: /^Verwerfen/ }));
  await user.click(within(await screen.findByRole('alertdialog')).getByRole('button', { name: 'Verwerfen' }));
  const said = 'Der Beitrag ist inzwischen abgesendet. Wenn du ihn nicht mehr möchtest, wende dich an das Team.';
  expect(await screen.findByText(said)).toBeTruthy();
  await user.click(screen.getByRole('button', { name: 'Behalten' }));
  expect(await screen.findByText('Eingegangen')).toBeTruthy();
});

test('A begun contribution is discarded after a question, from the device too; without a line it stays (0420)', async () => {
  for (const id of ['7', '8']) sessionStorage.setItem(`interview:${id}`, JSON.stringify({ interviewId: id }));
  sessionStorage.setItem('currentInterviewId', '7');
  let away = true;
  let listed = [begun(8), begun(7)];
  const { user, requests } = open({
    own_contributions: () => listed,
    discard_contribution: ({ contribution }: { contribution: number }) => {
      if (away) unreachable();
      listed = listed.filter(({ id }) => id !== contribution);
      return null;
    },
  });
  await user.click(await screen.findByRole('button', { name: 'Verwerfen: Interview, Content-ID 7' }));
  const dialog = screen.getByRole('alertdialog', { name: 'Interview vom 01.11.2026 verwerfen?' });
  const confirm = within(dialog).getByRole('button', { name: 'Verwerfen' });
  await user.click(confirm);
  expect(await within(dialog).findByText('Das hat nicht geklappt. Versuch es bitte noch einmal.')).toBeTruthy();
  away = false;
  await user.click(confirm);
  await waitFor(() => expect(rows()).toHaveLength(1));
  expect(await screen.findByText('Beitrag verworfen')).toBeTruthy();
  await waitFor(() => expect(document.activeElement?.tagName, 'WCAG 2.4.3').toBe('H1'));
  expect(requests.filter(({ name }) => name === 'discard_contribution')).toHaveLength(2);
  expect(sessionStorage.getItem('currentInterviewId')).toBeNull();
  expect(Object.keys(sessionStorage).filter((key) => key.startsWith('interview:'))).toEqual(['interview:8']);
});
