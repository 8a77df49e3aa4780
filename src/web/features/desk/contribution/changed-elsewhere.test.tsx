import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ErasureAnswer } from '#contract/desk-files.ts';
import type { DeskContribution, DeskEvent } from '#contract/desk.ts';
import type { PostState } from '#contract/posts.ts';
import { deskContribution, deskPage, deskPost } from '#tests/support/web/desk-items.ts';
import { refusal, renderDesk, type DeskAnswers } from '#tests/support/web/render-desk.tsx';
import { Anchor } from '#web/ui/link.tsx';
import { ContributionScreen } from './index.tsx';

beforeEach(() => localStorage.clear());
afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

const open = (answers: DeskAnswers) =>
  renderDesk((search) => <ContributionScreen id={7} address={search} />, {
    answers: { desk_contribution: () => deskContribution(), desk_inbox: () => deskPage(), ...answers },
  });
const findNote = () => screen.findByLabelText<HTMLTextAreaElement>('Interne Notiz');
const moved = (id: number, from: string, to: string): DeskEvent => ({
  id,
  at: '2026-11-20T09:00:00Z',
  by: 'kim@haus.example',
  what: 'state',
  from,
  to,
  text: null,
});

describe('Desk: a contribution that somebody else changes meanwhile', () => {
  it('Shows the stored state after a conflict and keeps the typed texts', async () => {
    const theirs = deskContribution({ version: 2, state: 'in_progress', events: [moved(1, 'new', 'in_progress')] });
    const events = [moved(2, 'in_progress', 'for_review'), ...theirs.events];
    let current: DeskContribution = deskContribution();
    const { user, requests } = open({
      desk_contribution: () => current,
      desk_change: ({ version }: { version: number }) => {
        current = theirs;
        return version === 2 ? { ...theirs, version: 3, state: 'for_review', events } : refusal(409, 'PT409');
      },
    });
    await user.type(await findNote(), 'Noch nicht gespeichert');
    await user.click(screen.getByRole('button', { name: 'Status ändern' }));
    await user.click(await screen.findByRole('menuitemcheckbox', { name: 'Zur Freigabe' }));
    const mail = within(await screen.findByRole('dialog', { name: 'Nachricht zur Freigabe' }));
    const message = mail.getByLabelText<HTMLTextAreaElement>('Nachricht');
    await user.clear(message);
    await user.type(message, 'Mit Mühe geschrieben');
    await user.click(mail.getByRole('button', { name: 'Senden und Status ändern' }));
    expect((await mail.findByRole('alert')).textContent).toContain(
      'kim@haus.example hat diesen Beitrag inzwischen geändert. Er steht jetzt auf „In Arbeit“.',
    );
    expect(message.value).toBe('Mit Mühe geschrieben');
    await user.click(mail.getByRole('button', { name: 'Senden und Status ändern' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(requests.at(-1)?.args).toEqual({
      id: 7,
      version: 2,
      change: { state: 'for_review', text: 'Mit Mühe geschrieben' },
    });
    const [newest] = within(screen.getByRole('list', { name: 'Verlauf' })).getAllByRole('listitem');
    expect(newest?.textContent).toContain('Status: In Arbeit → Zur Freigabe');
    expect((await findNote()).value).toBe('Noch nicht gespeichert');
  });

  it('Loads the current state after a conflict, so that the change can be repeated', async () => {
    let version = 1;
    const current = deskContribution({
      version: 2,
      state: 'rejected',
      events: [{ ...moved(2, '', ''), what: 'note', by: 'lea@haus.example', text: 'Gut' }, moved(1, 'new', 'rejected')],
    });
    const { user, requests } = open({
      desk_contribution: () => (version === 1 ? deskContribution() : current),
      desk_change: (given: { version: number }) => {
        version = 2;
        return given.version === 2 ? { ...current, version: 3, state: 'in_progress' } : refusal(409, 'PT409');
      },
    });
    await user.click(await screen.findByRole('button', { name: 'In Arbeit nehmen' }));
    const alert = await screen.findByRole('alert');
    expect(alert.textContent).toContain('kim@haus.example hat diesen Beitrag inzwischen geändert.');
    await user.click(screen.getByRole('button', { name: 'Wieder aufnehmen' }));
    await screen.findByRole('button', { name: 'Nachricht zur Freigabe schreiben' });
    expect(requests.at(-1)?.args).toEqual({ id: 7, version: 2, change: { state: 'in_progress' } });
    expect(screen.queryByRole('alert')).toBeNull();
    expect(screen.getByText('Status ist jetzt „In Arbeit“.')).toBeTruthy();
  });

  it('Names who corrected the address meanwhile, not who moved it days ago (decision 0385)', async () => {
    const corrected: DeskEvent = { ...moved(2, '', ''), what: 'address', by: 'lea@haus.example' };
    const contributions = [deskContribution(), deskContribution({ version: 2, events: [corrected, moved(1, '', '')] })];
    const { user } = open({
      desk_contribution: () => contributions.shift(),
      desk_change: () => refusal(409, 'PT409'),
    });
    await user.click(await screen.findByRole('button', { name: 'In Arbeit nehmen' }));
    expect((await screen.findByRole('alert')).textContent).toContain('lea@haus.example hat diesen Beitrag');
  });

  it('Takes nobody who reads to the posts when the contributor asks for a change (WCAG 2.4.3)', async () => {
    const posts = { approved: 0, changes: 0, total: 1 };
    let [contribution, state] = [deskContribution({ posts, state: 'for_review' }), 'in_review' as PostState];
    const { requests } = open({
      desk_contribution: () => contribution,
      desk_posts: () => ({ posts: [deskPost({ state })], link: null, mailWaiting: false }),
    });
    await waitFor(() => expect(requests.some(({ name }) => name === 'desk_posts')).toBe(true));
    await screen.findByRole('link', { name: /^Posts/ });
    // As after a click on a text.
    if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
    contribution = deskContribution({ posts: { ...posts, changes: 1 }, state: 'in_progress', version: 2 });
    state = 'changes_requested';
    fireEvent(window, new Event('visibilitychange'));
    expect(await screen.findByRole('link', { name: 'Zu den Posts' })).not.toBe(document.activeElement);
  });

  it('Hides an open contribution that was erased elsewhere', async () => {
    let erased = false;
    const missing = () => refusal(404, 'PT404');
    const { user } = open({
      desk_contribution: () => (erased ? missing() : deskContribution({ transcript: 'Streng vertraulich' })),
      desk_change: missing,
    });
    await user.type(await findNote(), 'Noch nicht gespeichert');
    expect(screen.getByText('Streng vertraulich')).toBeTruthy();
    erased = true;
    await user.click(screen.getByRole('button', { name: 'Notiz speichern' }));
    expect(await screen.findByRole('heading', { level: 1, name: 'Diesen Beitrag gibt es nicht' })).toBeTruthy();
    expect(screen.queryByText('Streng vertraulich')).toBeNull();
  });
});

it.each([
  ['file_missing', 410, 'Diese Datei fehlt im Speicher. Frag nach, ob sie noch einmal geschickt werden kann.'],
  ['file_damaged', 410, 'Diese Datei ist im Speicher unvollständig oder beschädigt.'],
] as const)('Desk: reports a lost or short file at the click (%s)', async (code, status, text) => {
  const createdAt = '2026-11-20T10:00:00Z';
  const { user, requests } = open({
    desk_contribution: () =>
      deskContribution({ fileList: [{ id: 3, path: '7/1_a.png', type: 'image/png', size: 9, createdAt }] }),
    'POST /v1/desk/tickets': () => Response.json({ error: { code, message: 'x' } }, { status }),
  });
  await user.click(await screen.findByRole('button', { name: 'Bild 1 (PNG) herunterladen' }));
  expect(await screen.findByText('Herunterladen nicht möglich')).toBeTruthy();
  expect(screen.getByText(text, { exact: false })).toBeTruthy();
  expect(requests.at(-1)).toMatchObject({ args: { path: '/v1/desk/contributions/7/files/3/clean' } });
});

it('Desk: after an erasure the way back leads to the contribution before it, not to the receipt again', async () => {
  const { user } = renderDesk(
    (search) => (
      <>
        <ContributionScreen id={search === '' ? 7 : 6} address="" />
        <Anchor href="/admin/eingang/6?6">Back</Anchor>
      </>
    ),
    {
      answers: {
        desk_contribution: ({ id }: { id: number }) => deskContribution({ id, contributor: `Person ${id}` }),
        desk_inbox: () => deskPage(),
        'POST /v1/desk/erasures': (): ErasureAnswer => ({ state: 'running', id: 'Q-1' }),
        'GET /v1/desk/erasures': () => ({ open: [], receipts: [], next: null }),
      },
    },
  );
  await user.click(await screen.findByRole('button', { name: 'Beitrag löschen' }));
  await user.click(await screen.findByRole('checkbox', { name: /^Ja/ }));
  await user.click(screen.getByRole('button', { name: 'Endgültig löschen' }));
  await screen.findByRole('heading', { level: 1, name: 'Die Löschung läuft' });
  await user.click(screen.getByRole('link', { name: 'Back' }));
  expect(await screen.findByRole('heading', { level: 1, name: 'Person 6' })).toBeTruthy();
});
