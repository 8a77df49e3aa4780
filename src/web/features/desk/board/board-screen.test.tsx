import { screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { AppConfig } from '#contract/app-config.ts';
import type { DeskChange, DeskItem, DeskPage, DeskQuery, DeskState } from '#contract/desk.ts';
import { freezeTime, pass, resumeTime, waitForState } from '#tests/support/web/render-flow.tsx';
import { deskContribution, deskItem, deskPage } from '#tests/support/web/desk-items.ts';
import { type DeskAnswers, onWideScreen, refusal, renderDesk } from '#tests/support/web/render-desk.tsx';
import { stateChangeTexts } from '../texts.ts';
import { BoardScreen } from './board-screen.tsx';

afterEach(() => {
  localStorage.clear();
  vi.unstubAllGlobals();
});

const ADA = deskItem({ id: 4, state: 'new' });
const EMMY = deskItem({ id: 3, state: 'new', contributor: 'Emmy Noether' });
const GRACE = deskItem({ id: 2, state: 'in_progress', contributor: 'Grace Hopper', contributorEmail: null });

/** Answers with these cards and accepts every change. */
function board(cards: readonly DeskItem[], more: DeskAnswers = {}): DeskAnswers {
  const now = new Map(cards.map((item) => [item.id, item]));
  return {
    desk_inbox: ({ query }: { query: DeskQuery }) => {
      const items = [...now.values()].filter(({ state }) => query.states?.includes(state) ?? true);
      return deskPage(items, { counts: { new: 2, in_progress: 1 } });
    },
    desk_change: ({ id, change }: { id: number; change: Extract<DeskChange, { state: DeskState }> }) => {
      const item = { ...(now.get(id) ?? ADA), state: change.state, version: 2 };
      now.set(id, item);
      return deskContribution(item);
    },
    ...more,
  };
}

const open = (answers: DeskAnswers = board([ADA, EMMY, GRACE]), address = '', config: Partial<AppConfig> = {}) =>
  renderDesk((search) => <BoardScreen address={search} />, { address, answers, config });
const column = (name: string) => screen.findByRole('region', { name });
const cardsIn = async (name: string) =>
  within(await column(name))
    .queryAllByRole('link')
    .map((card) => card.textContent);

async function choose(run: ReturnType<typeof open>, whom: string, state: string): Promise<void> {
  await run.user.click(await screen.findByRole('button', { name: `${whom} verschieben` }));
  await run.user.click(await screen.findByRole('menuitemcheckbox', { name: state }));
}

describe('Desk: board on a wide screen', () => {
  beforeEach(onWideScreen);

  it('Shows the five columns with their cards', async () => {
    open();
    await screen.findByText('Ada Lovelace');
    expect(screen.getAllByRole('heading', { level: 2 }).map((heading) => heading.textContent)).toEqual([
      'Neu2',
      'In Arbeit1',
      'Zur Freigabe',
      'Veröffentlicht',
      'Abgelehnt',
    ]);
    expect(await cardsIn('Neu')).toEqual(['Ada Lovelace', 'Emmy Noether']);
    expect(await cardsIn('In Arbeit')).toEqual(['Grace Hopper']);
    expect((await column('Abgelehnt')).textContent).toContain('Nichts in dieser Spalte.');
    expect(screen.getByText('3 Beiträge angezeigt').tagName, 'said after each search (4.1.3)').toBe('OUTPUT');
  });

  it('Counts no further than a search does, as the list says it', async () => {
    open(board([], { desk_inbox: () => deskPage([ADA], { counts: { new: 10_000 } }) }), '?suche=ada');
    expect(await screen.findByText('10.000+')).toBeTruthy();
  });

  it('Says how many posts of a contribution are approved (posts)', async () => {
    open(board([deskItem({ ...ADA, posts: { approved: 2, total: 3 } }), EMMY]));
    expect(await screen.findAllByText('2 von 3 freigegeben')).toHaveLength(1);
    expect(screen.queryByText(/0 von/)).toBeNull();
  });

  it('Moves a card by its menu, announces it and keeps the focus', async () => {
    const run = open();
    await choose(run, 'Ada Lovelace', 'Abgelehnt');
    await waitFor(async () => expect(await cardsIn('Abgelehnt')).toEqual(['Ada Lovelace']));
    expect(await cardsIn('Neu')).toEqual(['Emmy Noether']);
    expect(screen.getByText('Ada Lovelace: jetzt „Abgelehnt“')).toBeTruthy();
    await waitFor(() => expect(document.activeElement?.textContent).toBe('Ada Lovelace'));
    expect(run.requests.at(-1)).toEqual({
      name: 'desk_change',
      args: { id: 4, version: 1, change: { state: 'rejected' } },
    });
  });

  it('Moves the focus with arrow keys and the card with Shift', async () => {
    const { user } = open();
    await screen.findByRole('link', { name: 'Ada Lovelace' });
    await user.keyboard('j');
    expect(document.activeElement?.textContent).toBe('Ada Lovelace');
    await user.keyboard('{ArrowDown}');
    expect(document.activeElement?.textContent).toBe('Emmy Noether');
    await user.keyboard('kjj');
    expect(document.activeElement?.textContent).toBe('Emmy Noether');
    await user.keyboard('{ArrowRight}');
    expect(document.activeElement?.textContent).toBe('Grace Hopper');
    await user.keyboard('{ArrowLeft}{Shift>}{ArrowRight}{/Shift}');
    await waitFor(async () => expect(await cardsIn('In Arbeit')).toEqual(['Ada Lovelace', 'Grace Hopper']));
    await waitFor(() => expect(document.activeElement?.textContent).toBe('Ada Lovelace'));
  });

  it('Leaves the focus where it has gone while a move was on its way', async () => {
    const held = Promise.withResolvers<unknown>();
    const run = open(board([ADA, EMMY], { desk_change: () => held.promise }));
    await choose(run, 'Ada Lovelace', 'Abgelehnt');
    screen.getByRole('link', { name: 'Emmy Noether' }).focus();
    held.resolve(deskContribution({ ...ADA, state: 'rejected', version: 2 }));
    await within(await column('Abgelehnt')).findByText('Ada Lovelace');
    expect(document.activeElement?.textContent).toBe('Emmy Noether');
  });

  it('Moves cards one after the other where more are chosen while a move is on its way', async () => {
    const first = Promise.withResolvers<unknown>();
    const moved = board([ADA, EMMY, GRACE])['desk_change'] as (args: unknown) => unknown;
    const run = open(
      board([ADA, EMMY, GRACE], {
        desk_change: async (args: { id: number; version: number; change: { state: DeskState } }) => {
          if (args.id === ADA.id && args.version === 1) await first.promise;
          return moved(args);
        },
      }),
    );
    await choose(run, 'Ada Lovelace', 'In Arbeit');
    await choose(run, 'Emmy Noether', 'Abgelehnt');
    await choose(run, 'Ada Lovelace', 'Abgelehnt');
    const isAsked = () => !window.dispatchEvent(new Event('beforeunload', { cancelable: true }));
    expect(isAsked(), 'a reload would lose the two that wait').toBe(true);
    first.resolve(undefined);
    await waitFor(async () => expect(await cardsIn('Abgelehnt')).toEqual(['Ada Lovelace', 'Emmy Noether']));
    await waitFor(() => expect(isAsked()).toBe(false));
    const changes = run.requests.filter(({ name }) => name === 'desk_change').map(({ args }) => args);
    expect(changes).toEqual([
      { id: 4, version: 1, change: { state: 'in_progress' } },
      { id: 3, version: 1, change: { state: 'rejected' } },
      { id: 4, version: 2, change: { state: 'rejected' } },
    ]);
  });

  it('Leaves what was chosen after a move that fails, so that its reason stays in sight', async () => {
    const first = Promise.withResolvers<unknown>();
    const run = open(board([ADA, EMMY], { desk_change: () => first.promise }));
    await choose(run, 'Ada Lovelace', 'In Arbeit');
    await choose(run, 'Emmy Noether', 'Abgelehnt');
    first.resolve(refusal(400, '22023'));
    expect(await screen.findByRole('alert')).toBeTruthy();
    expect(await cardsIn('Neu')).toEqual(['Ada Lovelace', 'Emmy Noether']);
    expect(run.requests.filter(({ name }) => name === 'desk_change')).toHaveLength(1);
  });

  it("Keeps the message of 'Zur Freigabe' for the next opening, until it is sent", async () => {
    const run = open();
    const openDialog = async (whom: string) => {
      await choose(run, whom, 'Zur Freigabe');
      const dialog = within(await screen.findByRole('dialog', { name: 'Nachricht zur Freigabe' }));
      return { ...dialog, field: dialog.getByLabelText<HTMLTextAreaElement>('Nachricht') };
    };
    const { field } = await openDialog('Ada Lovelace');
    await run.user.clear(field);
    await run.user.type(field, 'Liebe Ada');
    expect(screen.getByText('Auf diesem Gerät gesichert, noch nicht gesendet.')).toBeTruthy();
    await run.user.keyboard('{Escape}');
    expect((await openDialog('Emmy Noether')).field.value).toMatch(/^Hallo Emmy Noether,/);
    await run.user.keyboard('{Escape}');

    const again = await openDialog('Ada Lovelace');
    expect(again.field.value).toBe('Liebe Ada');
    await run.user.click(again.getByRole('button', { name: 'Zur Vorlage zurück' }));
    expect(again.field.value).toMatch(/^Hallo Ada Lovelace,/);
    expect(document.activeElement).toBe(again.field);
    await run.user.clear(again.field);
    await run.user.type(again.field, 'Liebe Ada!');
    await run.user.click(again.getByRole('button', { name: 'Senden und Status ändern' }));
    await waitFor(async () => expect(await cardsIn('Zur Freigabe')).toEqual(['Ada Lovelace']));
    expect(Object.keys(localStorage).filter((key) => key.startsWith('mail_draft:'))).toEqual([]);
  });

  it("'Zur Freigabe' asks for the message and refuses an unfilled template", async () => {
    const run = open();
    await choose(run, 'Ada Lovelace', 'Zur Freigabe');
    const dialog = await screen.findByRole('dialog', { name: 'Nachricht zur Freigabe' });
    expect(dialog.textContent).toContain('ada@beispiel.test');
    const field = within(dialog).getByLabelText<HTMLTextAreaElement>('Nachricht');
    expect(field.value).toMatch(/^Hallo Ada Lovelace,/);
    const send = within(dialog).getByRole('button', { name: 'Senden und Status ändern' });
    await run.user.click(send);
    expect((await within(dialog).findByRole('alert')).textContent).toContain(stateChangeTexts.gap);
    await run.user.clear(field);
    await run.user.click(send);
    await waitFor(() => expect(within(dialog).getByRole('alert').textContent).toBe('Bitte schreibe eine Nachricht.'));
    await run.user.type(field, '  Hier ist dein Entwurf.  ');
    await run.user.click(send);
    await waitFor(async () => expect(await cardsIn('Zur Freigabe')).toEqual(['Ada Lovelace']));
    expect(run.requests.at(-1)?.args).toEqual({
      id: 4,
      version: 1,
      change: { state: 'for_review', text: 'Hier ist dein Entwurf.' },
    });
    expect(screen.queryByRole('dialog')).toBeNull();
  });

  it('Changes the state without a mail if there is no address', async () => {
    const run = open();
    await choose(run, 'Grace Hopper', 'Zur Freigabe');
    const dialog = await screen.findByRole('dialog');
    expect(dialog.textContent).toContain('eine Nachricht geht nicht hinaus');
    await run.user.click(within(dialog).getByRole('button', { name: 'Status ändern' }));
    await waitFor(async () => expect(await cardsIn('Zur Freigabe')).toEqual(['Grace Hopper']));
    expect(run.requests.at(-1)?.args).toMatchObject({ change: { state: 'for_review' } });
  });

  it('Promises no mail where this server sends none, as beside a hosted project without its key', async () => {
    const run = open(board([ADA, EMMY]), '', { deskMails: false });
    await choose(run, 'Emmy Noether', 'Veröffentlicht');
    const link = await screen.findByRole('dialog', { name: 'Veröffentlicht' });
    expect(link.textContent).toContain('Dieser Server verschickt keine E-Mails. Der Link wird hier gespeichert');
    await run.user.keyboard('{Escape}');
    await choose(run, 'Ada Lovelace', 'Zur Freigabe');
    const dialog = await screen.findByRole('dialog');
    expect(dialog.textContent).toContain('Dieser Server verschickt keine E-Mails. Der Status wird geändert');
    await run.user.click(within(dialog).getByRole('button', { name: 'Status ändern' }));
    await waitFor(async () => expect(await cardsIn('Zur Freigabe')).toEqual(['Ada Lovelace']));
    expect(run.requests.at(-1)?.args).toMatchObject({ change: { state: 'for_review' } });
  });

  it('Says before a mail where no mail server is set up', async () => {
    const run = open(board([ADA, EMMY]), '', { mailServer: false });
    await choose(run, 'Ada Lovelace', 'Zur Freigabe');
    const dialog = await screen.findByRole('dialog');
    expect(within(dialog).getByText(/^Hier ist kein Mailversand eingerichtet/)).toBeTruthy();
    expect(within(dialog).getByRole('button', { name: 'Senden und Status ändern' })).toBeTruthy();
  });

  it("'Veröffentlicht' asks for the link and keeps the typed text after a conflict", async () => {
    let conflict = true;
    const moved = deskContribution({
      ...ADA,
      version: 5,
      state: 'rejected',
      events: [
        { id: 1, at: ADA.createdAt, by: 'kim@haus.example', what: 'state', from: 'new', to: 'rejected', text: null },
      ],
    });
    const answers = board([ADA], {
      desk_contribution: () => moved,
      desk_change: ({ change }: { change: { url: string } }) =>
        conflict ? refusal(409, 'PT409') : { ...moved, state: 'published', version: 6, publishedUrl: change.url },
    });
    const run = open(answers);
    await choose(run, 'Ada Lovelace', 'Veröffentlicht');
    const dialog = within(await screen.findByRole('dialog', { name: 'Veröffentlicht' }));
    const save = dialog.getByRole('button', { name: 'Als veröffentlicht speichern' });
    await run.user.click(save);
    expect((await dialog.findByRole('alert')).textContent).toBe('Bitte gib den Link ein.');
    await run.user.type(dialog.getByLabelText(/^Link/), 'www.verband.example/1');
    await waitFor(() => expect(dialog.getByRole('alert').textContent).toContain('kein vollständiger Link'));
    await run.user.clear(dialog.getByLabelText(/^Link/));
    await run.user.type(dialog.getByLabelText(/^Link/), 'https://verband.example/1');
    await run.user.click(save);
    const alert = await dialog.findByRole('alert');
    expect(alert.textContent).toContain(
      'kim@haus.example hat diesen Beitrag inzwischen geändert. Er steht jetzt auf „Abgelehnt“.',
    );
    expect(dialog.getByLabelText<HTMLInputElement>(/^Link/).value).toBe('https://verband.example/1');
    expect(await screen.findByRole('region', { name: 'Abgelehnt', hidden: true })).toBeTruthy();
    conflict = false;
    await run.user.click(save);
    await waitFor(async () => expect(await cardsIn('Veröffentlicht')).toEqual(['Ada Lovelace']));
    expect(run.requests.at(-1)?.args).toEqual({
      id: 4,
      version: 5,
      change: { state: 'published', url: 'https://verband.example/1' },
    });
  });

  it.each([
    ['change', () => deskContribution({ ...ADA, state: 'rejected', version: 2 })],
    ['conflict', () => refusal(409, 'PT409')],
  ])("Keeps a card's dialog and text when the %s of another card is answered", async (_, answer) => {
    const held = Promise.withResolvers<unknown>();
    const run = open(
      board([ADA, EMMY], {
        desk_change: ({ id }: { id: number }) =>
          id === ADA.id ? held.promise : deskContribution({ ...EMMY, version: 2 }),
        desk_contribution: () => deskContribution({ ...ADA, state: 'rejected', version: 2 }),
      }),
    );
    await choose(run, 'Ada Lovelace', 'Abgelehnt');
    await choose(run, 'Emmy Noether', 'Zur Freigabe');
    const field = await screen.findByLabelText<HTMLTextAreaElement>('Nachricht');
    await run.user.clear(field);
    await run.user.type(field, 'Liebe Emmy');
    held.resolve(answer());
    const rejected = within(screen.getByRole('region', { name: 'Abgelehnt', hidden: true }));
    await rejected.findByText('Ada Lovelace');
    const send = await screen.findByRole('button', { name: 'Senden und Status ändern' });
    expect(screen.queryByRole('alert')).toBeNull();
    await run.user.click(send);
    const change = { state: 'for_review', text: 'Liebe Emmy' };
    await waitFor(() => expect(run.requests.at(-1)?.args).toEqual({ id: EMMY.id, version: 1, change }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  });

  it('Leaves the card in place and says why a move was refused', async () => {
    const run = open(
      board([ADA], {
        desk_change: () => refusal(409, 'PT409'),
        desk_contribution: () => deskContribution({ ...ADA, version: 2, events: [] }),
      }),
    );
    await choose(run, 'Ada Lovelace', 'In Arbeit');
    expect((await screen.findByRole('alert')).textContent).toContain(
      'Der Status wurde inzwischen geändert. Er steht jetzt auf „Neu“.',
    );
    expect(await cardsIn('Neu')).toEqual(['Ada Lovelace']);
  });
});

describe('Desk: board after an erasure elsewhere', () => {
  beforeEach(onWideScreen);
  afterEach(resumeTime);

  it('Removes the card and its count, focuses the card below and closes an open menu', async () => {
    freezeTime();
    let erasedIds: readonly number[] = [];
    const answers = board([ADA, EMMY, GRACE], { desk_pulse: () => `${erasedIds.length}`, desk_gone: () => erasedIds });
    const { desk_inbox: all } = answers;
    const left = (args: never) => {
      const page = all?.(args) as DeskPage;
      const items = page.items.filter(({ id }) => !erasedIds.includes(id));
      return { ...page, items, counts: { new: 2 - erasedIds.length, in_progress: 1 } };
    };
    const { user } = open({ ...answers, desk_inbox: left });
    await waitForState(() => expect(screen.getByText('Ada Lovelace')).toBeTruthy());
    await pass(15_000);
    await user.keyboard('j');
    expect(document.activeElement?.textContent).toBe('Ada Lovelace');
    erasedIds = [4];
    await pass(15_000);
    await waitForState(() => expect(screen.queryByText('Ada Lovelace')).toBeNull());
    expect(document.activeElement?.textContent).toBe('Emmy Noether');
    expect(screen.getByRole('heading', { level: 2, name: /^Neu/ }).textContent).toBe('Neu1');
    await waitForState(() =>
      expect(screen.getByText('Ein Beitrag wurde gelöscht', { selector: '[data-variant] *' })).toBeTruthy(),
    );

    await user.click(screen.getByRole('button', { name: 'Emmy Noether verschieben' }));
    expect(screen.getByRole('menu')).toBeTruthy();
    erasedIds = [4, 3];
    await pass(15_000);
    await waitForState(() => expect(screen.queryByRole('menu')).toBeNull());
    expect(document.activeElement?.textContent).toBe('Grace Hopper');
  });
});

describe('Desk: board after a change elsewhere', () => {
  beforeEach(onWideScreen);
  afterEach(resumeTime);

  it('Follows what another administrator moves (decision 0368) and what a contributor answers (0263)', async () => {
    freezeTime();
    let item = { ...GRACE, state: 'for_review' as DeskState, posts: { approved: 0, changes: 0, total: 2 } };
    open({ ...board([]), desk_pulse: () => `${item.version}`, desk_inbox: listOne });
    function listOne({ query }: { query: DeskQuery }): DeskPage {
      return deskPage(query.states?.includes(item.state) === false ? [] : [item]);
    }
    const expectCard = (name: string, ...words: readonly string[]) =>
      waitForState(() => {
        const card = within(screen.getByRole('region', { name })).getByRole('listitem');
        for (const word of words) expect(card.textContent).toContain(word);
        expect(screen.getAllByRole('link', { name: 'Grace Hopper' })).toHaveLength(1);
      });
    await expectCard('Zur Freigabe', '0 von 2 freigegeben');
    await pass(15_000);
    for (const [facts, column, ...words] of [
      [
        { state: 'in_progress', posts: { approved: 1, changes: 1, total: 2 } },
        'In Arbeit',
        '1 von 2 freigegeben',
        'Änderung gewünscht',
      ],
      [
        { state: 'for_review', posts: { approved: 2, changes: 0, total: 2 } },
        'Zur Freigabe',
        '2 von 2 freigegeben',
        'Alles freigegeben',
      ],
      [{ state: 'rejected' }, 'Abgelehnt'],
    ] as const) {
      item = { ...item, ...facts, version: item.version + 1, changedAt: new Date().toISOString() };
      await pass(15_000);
      await expectCard(column, ...words);
    }
  });
});

it('Desk: a card erased elsewhere goes with the move that finds it gone, and the reason stays in sight', async () => {
  onWideScreen();
  const run = open(board([ADA, EMMY], { desk_change: () => refusal(404, 'PT404') }));
  await choose(run, 'Ada Lovelace', 'In Arbeit');
  expect((await screen.findByRole('alert')).textContent).toContain('Diesen Beitrag gibt es nicht mehr.');
  await waitFor(async () => expect(await cardsIn('Neu')).toEqual(['Emmy Noether']));
});

describe('Desk: board on a phone', () => {
  it('Shows the one column that the address names', async () => {
    const { user, place } = open(undefined, '?art=interview');
    await screen.findByText('Ada Lovelace');
    expect(await cardsIn('Neu')).toEqual(['Ada Lovelace', 'Emmy Noether']);
    expect(screen.getAllByRole('heading', { level: 2 })).toHaveLength(1);
    await user.click(screen.getByRole('link', { name: /^In Arbeit/ }));
    expect(place()).toBe('/admin/eingang/tafel?art=interview&spalte=in-arbeit');
    expect(await cardsIn('In Arbeit')).toEqual(['Grace Hopper']);
  });

  it('Shows only the states of the filter, which says so and can be removed', async () => {
    const { user, place } = open(undefined, '?status=in-arbeit,abgelehnt');
    await screen.findByText('Grace Hopper');
    const tabs = within(screen.getByRole('navigation', { name: 'Spalte' })).getAllByRole('link');
    expect(tabs.map((tab) => tab.textContent)).toEqual(['In Arbeit1', 'Abgelehnt']);
    await user.click(screen.getByRole('button', { name: 'Filter entfernen: In Arbeit' }));
    expect(place()).toBe('/admin/eingang/tafel?status=abgelehnt');
    await user.click(screen.getByRole('button', { name: 'Zurücksetzen' }));
    expect(place()).toBe('/admin/eingang/tafel');
  });
});
