import { act, screen, waitFor, within } from '@testing-library/react';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { DeskItem, DeskQuery } from '#contract/desk.ts';
import { freezeTime, pass, resumeTime, waitForState } from '#tests/support/web/render-flow.tsx';
import { deskItem, deskPage } from '#tests/support/web/desk-items.ts';
import { passRounds, refusal, renderDesk, unreachable, type DeskAnswers } from '#tests/support/web/render-desk.tsx';
import { InboxScreen } from './inbox-screen.tsx';

afterEach(() => {
  resumeTime();
  vi.unstubAllGlobals();
});

let shown = 0;
/** Each test uses another search, because lists are cached. */
const elsewhere = () => `?suche=Wort${(shown += 1)}`;
const open = (answers: DeskAnswers, address = elsewhere()) =>
  renderDesk((search) => <InboxScreen address={search} />, { address, answers });
const inbox = (...items: readonly DeskItem[]): DeskAnswers => ({ desk_inbox: () => deskPage(items) });
const rows = async () => within(await screen.findByRole('list', { name: 'Beiträge' })).getAllByRole('listitem');

describe('Desk: inbox', () => {
  it('Shows the facts of each contribution and renders all input as text', async () => {
    open(
      inbox(
        deskItem({
          id: 2,
          excerpt: 'eine \u0001Prüfmaschine\u0002 gebaut',
          assignee: 'x',
          assigneeEmail: 'kim@haus.example',
        }),
        deskItem({
          id: 1,
          contributor: '<img src=x onerror=alert(1)>',
          finished: false,
          files: 1,
          topic: null,
          kind: 'contributor',
          area: 'firma-z',
          excerpt: '',
        }),
      ),
    );
    const [first, second] = await rows();
    expect(first?.textContent).toMatch(
      /^Ada LovelaceArt: Interview · Thema: Technik im Detail · Bereich: Firma A · Dateien: 2 Dateieneine Prüfmaschine gebautNeu/,
    );
    expect(first?.textContent).toContain('In Bearbeitung bei: kim');
    expect(first?.querySelector('mark')?.textContent).toBe('Prüfmaschine');
    expect(second?.textContent).toMatch(
      /^<img src=x onerror=alert\(1\)>UnvollständigArt: Medien-Upload · Bereich: firma-z · Dateien: 1 DateiOhne Text/,
    );
    expect(document.querySelector('img')).toBeNull();
  });

  it('Breaks the address of somebody without a name at its joints, as the board does', async () => {
    open(inbox(deskItem({ contributor: 'anna.berger@firma.example' })));
    const [row] = await rows();
    const joints = row?.querySelector('a')?.innerHTML.replaceAll('<wbr aria-hidden="true">', '|');
    expect(joints).toBe('anna|.berger@|firma|.example');
  });

  it('Explains an empty inbox', async () => {
    open(inbox(), '');
    expect(await screen.findByText('Noch nichts eingegangen')).toBeTruthy();
  });

  it('Offers to clear the filters when nothing matches', async () => {
    const { user, place } = open(inbox(), '?suche=gibt+es+nicht&art=video&sortierung=name');
    await user.click(await screen.findByRole('button', { name: 'Alle Filter zurücksetzen' }));
    expect(place()).toBe('/admin/eingang?sortierung=name');
    expect(document.activeElement).toBe(screen.getByRole('heading', { level: 1 }));
  });

  it('Reports an unreachable server and offers a retry', async () => {
    let away = true;
    const { user } = open({ desk_inbox: () => (away ? unreachable() : deskPage()) });
    expect((await screen.findByRole('alert')).textContent).toContain('Der Server ist gerade nicht erreichbar');
    away = false;
    await user.click(screen.getByRole('button', { name: 'Erneut versuchen' }));
    expect(await rows()).toHaveLength(1);
  });

  it('Says that the account is no longer an administrator', async () => {
    const { rechecks } = open({ desk_inbox: () => refusal(403, '42501') });
    expect((await screen.findByRole('alert')).textContent).toContain('Deine Anmeldung gilt hier nicht mehr');
    expect(rechecks()).toBeGreaterThan(0);
  });

  it('Loads further rows and keeps the shown ones after a failure', async () => {
    let fails = true;
    const { user, requests } = open({
      desk_inbox: ({ query }: { query: DeskQuery }) => {
        if (query.after === undefined) return deskPage([deskItem({ id: 2 })], { next: 'c1' });
        return fails ? unreachable() : deskPage([deskItem({ id: 1, contributor: 'Emmy Noether' })]);
      },
    });
    await user.click(await screen.findByRole('button', { name: 'Mehr laden' }));
    expect((await screen.findByRole('alert')).textContent).toContain('nicht erreichbar');
    expect(await rows()).toHaveLength(1);
    fails = false;
    await user.click(screen.getByRole('button', { name: 'Erneut versuchen' }));
    await screen.findByText('2 Beiträge angezeigt');
    expect(requests.at(-1)?.args).toMatchObject({ query: { after: 'c1', limit: 50 } });
    expect(screen.queryByRole('button', { name: 'Mehr laden' })).toBeNull();
  });

  it('The focus goes to the first row that the last press of Mehr laden brought (WCAG 2.4.3)', async () => {
    const { user } = open({
      desk_inbox: ({ query }: { query: DeskQuery }) =>
        query.after === undefined
          ? deskPage([deskItem({ id: 3 }), deskItem({ id: 2 })], { next: 'c1' })
          : deskPage([deskItem({ id: 2 }), deskItem({ id: 1, contributor: 'Emmy Noether' }), deskItem({ id: 0 })]),
    });
    await user.click(await screen.findByRole('button', { name: 'Mehr laden' }));
    await screen.findByText('4 Beiträge angezeigt');
    expect(document.activeElement).toBe(screen.getByRole('link', { name: 'Emmy Noether' }));
  });

  it('Shows what moved to the front while further rows were asked for, by time of change', async () => {
    const changed = { ids: [3, 2] };
    const { user } = open(
      {
        desk_inbox: ({ query }: { query: DeskQuery }) =>
          query.after === undefined
            ? deskPage(
                changed.ids.map((id) => deskItem({ id })),
                { next: 'c1' },
              )
            : deskPage([deskItem({ id: 4 })]),
      },
      '?sortierung=geaendert',
    );
    const button = await screen.findByRole('button', { name: 'Mehr laden' });
    changed.ids = [1, 3];
    await user.click(button);
    await screen.findByText('4 Beiträge angezeigt');
  });

  it('Adds further rows to no list but that of their filter', async () => {
    const held = Promise.withResolvers<unknown>();
    const { user } = open({
      desk_inbox: ({ query }: { query: DeskQuery }) =>
        query.after === undefined ? deskPage([deskItem({ id: 2 })], { next: 'c1' }) : held.promise,
    });
    await user.click(await screen.findByRole('button', { name: 'Mehr laden' }));
    await user.click(screen.getByRole('link', { name: /^Neu/ }));
    await screen.findByRole('button', { name: 'Mehr laden' });
    held.resolve(deskPage([deskItem({ id: 1 })]));
    await passRounds(20);
    expect(await rows()).toHaveLength(1);
  });
});

describe('Desk: filters', () => {
  it('Apply at once, stand in the address and in the request', async () => {
    const { user, place, requests } = open(inbox(deskItem()), '');
    await rows();
    const filters = within(screen.getByRole('region', { name: 'Filter' }));
    await user.click(filters.getByRole('checkbox', { name: 'Testnormec' }));
    await user.click(filters.getByRole('checkbox', { name: 'Video' }));
    await user.selectOptions(filters.getByLabelText('Kontaktdaten'), 'Unvollständig');
    await user.selectOptions(filters.getByLabelText('Bearbeitung'), 'Noch niemand');
    await user.selectOptions(filters.getByLabelText('Sortierung'), 'Zuletzt geändert');
    expect(place()).toBe(
      '/admin/eingang?bereich=testnormec&art=video&kontakt=fehlt&bearbeitung=niemand&sortierung=geaendert',
    );
    await waitFor(() =>
      expect(requests.at(-1)).toEqual({
        name: 'desk_inbox',
        args: {
          query: {
            areas: ['testnormec'],
            kinds: ['video'],
            finished: false,
            assignee: 'none',
            sort: 'changed',
            limit: 50,
          },
        },
      }),
    );
    await user.click(screen.getByRole('button', { name: 'Filter entfernen: Video' }));
    expect(place()).toBe('/admin/eingang?bereich=testnormec&kontakt=fehlt&bearbeitung=niemand&sortierung=geaendert');
  });

  it('The keyboard keeps its place where a filter is removed (WCAG 2.4.3)', async () => {
    const { user } = open(inbox(deskItem()), '?art=video,bild&kontakt=fehlt');
    await rows();
    const heading = screen.getByRole('heading', { level: 1 });
    await user.click(screen.getByRole('button', { name: 'Filter entfernen: Video' }));
    expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Filter entfernen: Bild' }));
    await user.click(screen.getByRole('button', { name: 'Filter entfernen: Unvollständig' }));
    expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Zurücksetzen' }));
    await user.click(screen.getByRole('button', { name: 'Filter entfernen: Bild' }));
    expect(document.activeElement).toBe(heading);
    await user.click(screen.getByRole('checkbox', { name: 'Video' }));
    await user.click(screen.getByRole('button', { name: 'Zurücksetzen' }));
    expect(document.activeElement).toBe(heading);
  });

  it('Requests the rows of a filter that is chosen again', async () => {
    const { user, requests } = open(inbox(deskItem()), '');
    await rows();
    const video = () => within(screen.getByRole('region', { name: 'Filter' })).getByRole('checkbox', { name: 'Video' });
    await user.click(video());
    await user.click(video());
    await waitFor(() =>
      expect(requests.filter(({ name }) => name === 'desk_inbox').map(({ args }) => args)).toEqual([
        { query: { limit: 50 } },
        { query: { kinds: ['video'], limit: 50 } },
        { query: { limit: 50 } },
      ]),
    );
  });

  it('Searches after a pause in typing, and at once on Enter', async () => {
    const { user, place } = open(inbox(deskItem()), '');
    await rows();
    const field = screen.getByRole('searchbox', { name: 'Suchen' });
    await user.type(field, 'Prüf');
    await waitFor(() => expect(place()).toBe('/admin/eingang?suche=Pr%C3%BCf'));
    await user.type(field, ' stand{Enter}');
    expect(place()).toBe('/admin/eingang?suche=Pr%C3%BCf+stand');
    await user.click(screen.getByRole('button', { name: 'Suche leeren' }));
    expect(place()).toBe('/admin/eingang');
    expect(document.activeElement).toBe(field);
  });

  it('Links each state with its count', async () => {
    const counts = { new: 12_345, in_progress: 0, for_review: 1, published: 2, rejected: 3 };
    open({ desk_inbox: () => deskPage([deskItem()], { counts }) }, '?art=bild&status=neu');
    await rows();
    const tabs = within(screen.getByRole('navigation', { name: 'Nach Status' })).getAllByRole('link');
    expect(tabs.map((tab) => [tab.textContent, tab.getAttribute('href'), tab.getAttribute('aria-current')])).toEqual([
      ['Alle12.351', '/admin/eingang?art=bild', null],
      ['Neu12.345', '/admin/eingang?art=bild&status=neu', 'true'],
      ['In Arbeit0', '/admin/eingang?art=bild&status=in-arbeit', null],
      ['Zur Freigabe1', '/admin/eingang?art=bild&status=zur-freigabe', null],
      ['Veröffentlicht2', '/admin/eingang?art=bild&status=veroeffentlicht', null],
      ['Abgelehnt3', '/admin/eingang?art=bild&status=abgelehnt', null],
    ]);
  });
});

describe('Desk: keys', () => {
  it('Handles j, k, o, / and ?, but none in a text field', async () => {
    const { user, place } = open(inbox(deskItem({ id: 3 }), deskItem({ id: 2, contributor: 'Emmy Noether' })), '');
    await rows();
    await user.keyboard('j');
    expect(document.activeElement?.textContent).toBe('Ada Lovelace');
    await user.keyboard('jj');
    expect(document.activeElement?.textContent).toBe('Emmy Noether');
    await user.keyboard('k');
    expect(document.activeElement?.textContent).toBe('Ada Lovelace');
    await user.keyboard('/');
    expect(document.activeElement).toBe(screen.getByRole('searchbox'));
    await user.keyboard('jo?');
    expect(screen.getByRole<HTMLInputElement>('searchbox').value).toBe('jo?');
    await user.clear(screen.getByRole('searchbox'));
    act(() => screen.getByRole('searchbox').blur());
    await user.keyboard('?');
    expect(screen.getByRole('dialog', { name: 'Tastenkürzel' })).toBeTruthy();
    await user.keyboard('o{Escape}');
    expect(screen.queryByRole('dialog')).toBeNull();
    await user.keyboard('jo');
    expect(place()).toBe('/admin/eingang/2');
  });
});

describe('Desk: list updates', () => {
  it('Counts new rows, updates changed ones in place and pauses while hidden', async () => {
    freezeTime();
    let token = 'a';
    let items = [deskItem({ id: 5 })];
    const { user, requests } = open({ desk_pulse: () => token, desk_inbox: () => deskPage(items) });
    await waitForState(() => expect(screen.getByText('Ada Lovelace')).toBeTruthy());
    await pass(15_000);
    await waitForState(() => expect(requests.filter(({ name }) => name === 'desk_pulse')).toHaveLength(1));
    token = 'b';
    items = [
      deskItem({ id: 7, contributor: 'Emmy Noether' }),
      deskItem({ id: 6 }),
      deskItem({ id: 5, state: 'published', version: 2 }),
    ];
    await pass(15_000);
    await waitForState(() => expect(screen.getByRole('button', { name: '2 neue Beiträge anzeigen' })).toBeTruthy());
    expect(screen.getByRole('list', { name: 'Beiträge' }).textContent).toContain('Veröffentlicht');
    expect(screen.queryByText('Emmy Noether')).toBeNull();
    expect(screen.getByRole('button', { name: '2 neue Beiträge anzeigen' }).closest('output')).toBeTruthy();

    const before = requests.length;
    vi.spyOn(document, 'visibilityState', 'get').mockReturnValue('hidden');
    act(() => void document.dispatchEvent(new Event('visibilitychange')));
    await pass(600_000);
    expect(requests).toHaveLength(before);
    vi.restoreAllMocks();

    await user.click(screen.getByRole('button', { name: '2 neue Beiträge anzeigen' }));
    await waitForState(() => expect(screen.getByText('Emmy Noether')).toBeTruthy());
    expect(screen.queryByRole('button', { name: /neue/ })).toBeNull();
    expect(document.activeElement, 'WCAG 2.4.3').toBe(screen.getByRole('link', { name: 'Emmy Noether' }));
  });

  it('Removes a row erased elsewhere, focuses the next one and announces it', async () => {
    freezeTime();
    let erasedIds: readonly number[] = [];
    const all = [9, 8, 7].map((id) => deskItem({ id, contributor: `Person ${id}` }));
    const left = () => all.filter(({ id }) => !erasedIds.includes(id));
    const { user, requests } = open({
      desk_pulse: () => `${erasedIds.length}`,
      desk_gone: () => erasedIds,
      desk_inbox: () => deskPage(left()),
    });
    await waitForState(() => expect(screen.getByText('Person 9')).toBeTruthy());
    await pass(15_000);
    await user.keyboard('jj');
    expect(document.activeElement?.textContent).toBe('Person 8');
    erasedIds = [8];
    await pass(15_000);
    await waitForState(() => expect(screen.queryByText('Person 8')).toBeNull());
    expect(requests.findLast(({ name }) => name === 'desk_gone')?.args).toEqual({ ids: [9, 8, 7] });
    expect(document.activeElement?.textContent).toBe('Person 7');
    expect(screen.getByText('2 Beiträge angezeigt')).toBeTruthy();
    expect(
      within(screen.getByRole('navigation', { name: 'Nach Status' })).getByRole('link', { name: /^Neu/ }).textContent,
    ).toBe('Neu2');
    await waitForState(() =>
      expect(screen.getByText('Ein Beitrag wurde gelöscht', { selector: '[data-variant] *' })).toBeTruthy(),
    );

    erasedIds = [8, 9];
    await pass(15_000);
    await waitForState(() => expect(screen.queryByText('Person 9')).toBeNull());
    expect(document.activeElement?.textContent).toBe('Person 7');
    await user.keyboard('j');
    expect(document.activeElement?.textContent).toBe('Person 7');
    erasedIds = [8, 9, 7];
    await pass(15_000);
    await waitForState(() => expect(screen.queryByText('Person 7')).toBeNull());
    expect(document.activeElement?.textContent).toBe('Eingang');
  });

  it('Removes a row that left the filter elsewhere, focuses the next one and announces it (decision 0368)', async () => {
    freezeTime();
    let state: DeskItem['state'] = 'new';
    const all = () => [
      deskItem({ id: 9, contributor: 'Person 9', state, version: state === 'new' ? 1 : 2 }),
      deskItem({ id: 8, contributor: 'Person 8' }),
    ];
    const { user } = open(
      {
        desk_pulse: () => state,
        desk_inbox: ({ query }: { query: DeskQuery }) =>
          deskPage(
            all().filter((item) => query.states?.includes(item.state) ?? true),
            { counts: state === 'new' ? { new: 2 } : { new: 1, in_progress: 1 } },
          ),
      },
      '?status=neu',
    );
    await waitForState(() => expect(screen.getByText('Person 9')).toBeTruthy());
    await pass(15_000);
    await user.keyboard('j');
    expect(document.activeElement?.textContent).toBe('Person 9');
    state = 'in_progress';
    await pass(15_000);
    await waitForState(() => expect(screen.queryByText('Person 9')).toBeNull());
    expect(document.activeElement?.textContent).toBe('Person 8');
    expect(screen.getByText('1 Beitrag angezeigt')).toBeTruthy();
    expect(screen.getByRole('link', { name: /^In Arbeit/ }).textContent).toBe('In Arbeit1');
    await waitForState(() =>
      expect(
        screen.getByText('Ein Beitrag passt nicht mehr zum Filter', { selector: '[data-variant] *' }),
      ).toBeTruthy(),
    );
  });

  it('Asks back to the last change that it knew, a page after the other, however old a row is (decision 0368)', async () => {
    freezeTime();
    let token = 'a';
    const at = (minute: number) => `2026-11-20T09:${String(minute).padStart(2, '0')}:00Z`;
    const asked: DeskQuery[] = [];
    open({
      desk_pulse: () => token,
      desk_inbox: ({ query }: { query: DeskQuery }) => {
        if (query.sort !== 'changed') return deskPage([deskItem({ id: 1 })]);
        asked.push(query);
        if (token === 'a') return deskPage([deskItem({ id: 2, changedAt: at(10) })], { next: 'c1' });
        return query.after === undefined
          ? deskPage([deskItem({ id: 3, changedAt: at(30) })], { next: 'c1' })
          : deskPage(
              [deskItem({ id: 1, state: 'published', version: 2, changedAt: at(query.after === 'c1' ? 20 : 5) })],
              {
                next: 'c2',
              },
            );
      },
    });
    await waitForState(() => expect(screen.getByText('Ada Lovelace')).toBeTruthy());
    await pass(15_000);
    await waitForState(() => expect(asked).toEqual([{ sort: 'changed', limit: 50 }]));
    token = 'b';
    await pass(15_000);
    await waitForState(() =>
      expect(screen.getByRole('list', { name: 'Beiträge' }).textContent).toContain('Veröffentlicht'),
    );
    expect(asked.slice(1).map(({ after }) => after)).toEqual([undefined, 'c1', 'c2']);
  });

  it('Loads more when every shown row is erased, and compares after half an hour in any case', async () => {
    freezeTime();
    let erasedIds: readonly number[] = [];
    const { requests } = open({
      desk_gone: () => erasedIds,
      desk_inbox: ({ query }: { query: DeskQuery }) =>
        query.after === 'c1'
          ? deskPage([deskItem({ id: 1, contributor: 'Emmy Noether' })])
          : deskPage([deskItem({ id: 2 })], { next: 'c1' }),
    });
    await waitForState(() => expect(screen.getByText('Ada Lovelace')).toBeTruthy());
    const looks = () => requests.filter(({ name }) => name === 'desk_gone').length;
    for (let beat = 0; beat < 4; beat += 1) await pass(15_000);
    expect(looks()).toBe(1);
    erasedIds = [2];
    vi.setSystemTime(Date.now() + 31 * 60_000);
    await pass(15_000);
    await waitForState(() => expect(screen.getByText('Emmy Noether')).toBeTruthy());
    expect(looks()).toBe(2);
    expect(screen.queryByText('Ada Lovelace')).toBeNull();
  });

  it('Compares again after a reload whose answer is older than the last comparison', async () => {
    freezeTime();
    const held = Promise.withResolvers<unknown>();
    const later = deskItem({ id: 6, contributor: 'Emmy Noether' });
    let items = [deskItem({ id: 5 })];
    let token = 'a';
    let loads = 0;
    const { user } = open({
      desk_pulse: () => token,
      desk_inbox: ({ query }: { query: DeskQuery }) =>
        query.sort === undefined && (loads += 1) === 2 ? held.promise : deskPage(items),
    });
    await waitForState(() => expect(screen.getByText('Ada Lovelace')).toBeTruthy());
    await pass(15_000);
    [token, items] = ['b', [later, deskItem({ id: 5 })]];
    await pass(15_000);
    await user.click(screen.getByRole('button', { name: '1 neuen Beitrag anzeigen' }));
    [token, items] = ['c', [later, deskItem({ id: 5, state: 'published', version: 2 })]];
    await pass(15_000);
    held.resolve(deskPage([later, deskItem({ id: 5 })]));
    await waitForState(() => expect(screen.getByText('Emmy Noether')).toBeTruthy());
    await pass(15_000);
    await waitForState(() =>
      expect(screen.getByRole('list', { name: 'Beiträge' }).textContent).toContain('Veröffentlicht'),
    );
  });

  it('Calls no row of the filter before one that left the list', async () => {
    const held = Promise.withResolvers<unknown>();
    const { user, requests } = open({
      desk_inbox: ({ query }: { query: DeskQuery }) =>
        query.states !== undefined && query.sort === undefined ? held.promise : deskPage(),
    });
    await rows();
    await user.click(screen.getByRole('link', { name: /^Veröffentlicht/ }));
    await waitFor(() => expect(requests.at(-1)?.args).toMatchObject({ query: { states: ['published'] } }));
    act(() => void window.dispatchEvent(new Event('visibilitychange')));
    await passRounds(20);
    held.resolve(deskPage([deskItem({ state: 'published', contributor: 'Emmy Noether' })]));
    expect(await screen.findByText('Emmy Noether')).toBeTruthy();
    expect(screen.queryByText(/passt nicht mehr zum Filter/)).toBeNull();
  });

  it('Checks session and role after a refusal instead of reporting a lost connection', async () => {
    freezeTime();
    const { rechecks } = open({ desk_pulse: () => refusal(403, '42501'), desk_inbox: () => deskPage() });
    await waitForState(() => expect(screen.getByText('Ada Lovelace')).toBeTruthy());
    await pass(15_000);
    await waitForState(() => expect(rechecks()).toBe(1));
    await pass(1_000);
    expect(screen.queryByText('Gerade ohne Verbindung')).toBeNull();
  });

  it('Keeps the list without an answer and says that it may be out of date', async () => {
    freezeTime();
    let away = false;
    open({ desk_pulse: () => (away ? unreachable() : 'a'), desk_inbox: () => deskPage() });
    await waitForState(() => expect(screen.getByText('Ada Lovelace')).toBeTruthy());
    away = true;
    await pass(15_000);
    await waitForState(() => expect(screen.getByText('Gerade ohne Verbindung')).toBeTruthy());
    expect(screen.getByText('Ada Lovelace')).toBeTruthy();
    away = false;
    await pass(30_000);
    await waitForState(() => expect(screen.queryByText('Gerade ohne Verbindung')).toBeNull());
  });
});
