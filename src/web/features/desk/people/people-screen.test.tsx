import { screen, waitFor, within } from '@testing-library/react';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { ErasureList, ErasureReceipt, Person, Retention } from '#contract/desk-files.ts';
import { STUB_USER } from '#tests/support/web/stub-server.ts';
import { freezeTime, pass, resumeTime, waitForState } from '#tests/support/web/render-flow.tsx';
import { renderDesk, unreachable, type DeskAnswers } from '#tests/support/web/render-desk.tsx';
import { PeopleScreen } from './people-screen.tsx';

afterEach(() => {
  resumeTime();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

const NOBODY: Person = {
  email: 'ada@beispiel.test',
  contributions: 0,
  files: 0,
  turns: 0,
  feedback: 0,
  mails: 0,
  auditEntries: 0,
  account: null,
};
const ADA: Person = {
  ...NOBODY,
  contributions: 2,
  files: 1,
  posts: 3,
  auditEntries: 4,
  account: { id: 'a', role: 'firma_a', erasable: 'yes' },
};
const OFF: Retention = { days: null, before: null, total: 0, oldest: null, items: [], next: null };
const NONE: ErasureList = { open: [], receipts: [], next: null };
const receipt = (id: string, facts: Partial<ErasureReceipt> = {}): ErasureReceipt => ({
  id,
  at: '2026-11-21T10:00:00Z',
  by: STUB_USER.id,
  what: 'person',
  contributions: 2,
  files: 1,
  turns: 0,
  feedback: 0,
  events: 3,
  mails: 0,
  accounts: 0,
  ...facts,
});

const open = (answers: DeskAnswers = {}) =>
  renderDesk(() => <PeopleScreen />, {
    answers: {
      'GET /v1/desk/people': () => ADA,
      'GET /v1/desk/retention': () => OFF,
      'GET /v1/desk/erasures': () => NONE,
      ...answers,
    },
  });

async function search(run: ReturnType<typeof open>, email: string): Promise<void> {
  await run.user.clear(await screen.findByLabelText('E-Mail-Adresse'));
  await run.user.type(screen.getByLabelText('E-Mail-Adresse'), `${email}{Enter}`);
}

const failure = (code: string, status: number) => Response.json({ error: { code, message: 'x' } }, { status });

describe('Desk: data of a person', () => {
  it('Requires an address and reports an unknown one', async () => {
    const run = open({ 'GET /v1/desk/people': () => NOBODY });
    await search(run, 'ada');
    expect(screen.getByText(/Content-ID.*Eingang/), 'people are told that it is enough').toBeTruthy();
    expect(screen.getByRole('alert').textContent).toBe('Bitte gib eine gültige E-Mail-Adresse ein.');
    // There before it says something (4.1.3).
    const said = document.querySelector('section [aria-live=polite]');
    await search(run, ' Ada@Beispiel.test ');
    await waitFor(() => expect(said?.textContent).toContain('Zu ada@beispiel.test ist nichts gespeichert.'));
    expect(run.requests.at(-1)).toEqual({ name: 'GET /v1/desk/people', args: { email: 'ada@beispiel.test' } });
    expect(screen.queryByRole('button', { name: 'Alles löschen' })).toBeNull();
  });

  it('Counts the data and exports it', async () => {
    const clicked: string[] = [];
    vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (this: HTMLAnchorElement) {
      clicked.push(this.getAttribute('href') ?? '');
    });
    const run = open({ 'POST /v1/desk/exports': () => ({ url: '/v1/desk/downloads/x' }) });
    await search(run, ADA.email);
    const found = await screen.findByRole('region', { name: 'Zu ada@beispiel.test gespeichert' });
    expect(
      within(found)
        .getAllByRole('listitem')
        .map((line) => line.textContent),
    ).toEqual(['2 Beiträge', '1 Datei', '3 Posts', '4 Einträge im Protokoll', 'Ein Konto mit dieser Adresse']);
    await run.user.click(within(found).getByRole('button', { name: 'Alles herunterladen' }));
    await waitFor(() => expect(clicked).toEqual(['/v1/desk/downloads/x']));
    expect(run.requests.at(-1)?.args).toEqual({ email: ADA.email });
  });

  it('Says why a search failed', async () => {
    const run = open({ 'GET /v1/desk/people': () => failure('not_admin', 403) });
    await search(run, ADA.email);
    expect((await screen.findByRole('alert')).textContent).toBe('Nur Administratoren dürfen das.');
  });
});

describe('Desk: erasing a person', () => {
  it('Shows the data, requires agreement and shows the receipt', async () => {
    const lists = [NONE, { ...NONE, receipts: [receipt('Q-7')] }];
    const run = open({
      'GET /v1/desk/erasures': () => lists.shift(),
      'POST /v1/desk/erasures': () => ({ state: 'done', receipt: receipt('Q-7', { posts: 1 }) }),
    });
    await search(run, ADA.email);
    await run.user.click(await screen.findByRole('button', { name: 'Alles löschen' }));
    const dialog = within(await screen.findByRole('dialog'));
    expect(screen.getByRole('dialog').textContent).toContain('2 Beiträge, 1 Datei, 3 Posts.');
    await run.user.click(dialog.getByRole('checkbox', { name: /^Auch das Konto löschen/ }));
    await run.user.click(dialog.getByRole('checkbox', { name: /^Ja, alles/ }));
    await run.user.click(dialog.getByRole('button', { name: 'Endgültig löschen' }));
    const shown = await screen.findByRole('region', { name: 'Quittung' });
    expect(shown.textContent).toContain('2 Beiträge, 1 Datei, 1 Post, 3 Einträge im Verlauf');
    expect(run.requests.find(({ name }) => name === 'POST /v1/desk/erasures')?.args).toEqual({
      email: ADA.email,
      account: true,
    });
    expect(screen.queryByRole('region', { name: /gespeichert$/ })).toBeNull();
    await waitFor(() => expect(screen.getAllByText(/Nummer Q-7/)).toHaveLength(1));
    expect(screen.getByText(/^Von dir, /)).toBeTruthy();
  });

  it.each([
    ['own_account', 'Das Konto bleibt: Es ist dein eigenes.'],
    ['last_admin', 'Das Konto bleibt: Es ist der letzte Administrator.'],
  ] as const)('Says why an account stays (%s) and does not offer to erase it', async (erasable, text) => {
    const run = open({ 'GET /v1/desk/people': () => ({ ...ADA, account: { id: 'a', role: 'admin', erasable } }) });
    await search(run, ADA.email);
    await run.user.click(await screen.findByRole('button', { name: 'Alles löschen' }));
    expect(await screen.findByText(text)).toBeTruthy();
    expect(screen.getAllByRole('checkbox')).toHaveLength(1);
  });
});

describe('Desk: retention period', () => {
  it('Says that nothing is erased without a period', async () => {
    open();
    expect(await screen.findByText(/Hier gilt keine Frist/)).toBeTruthy();
  });

  it('Shows what would be erased and erases exactly that', async () => {
    const before = '2026-08-23T10:00:00.000Z';
    const items = [{ id: 3, createdAt: '2026-08-23T09:00:00Z', transcript: '<i>Text</i>', contributor: '', files: 1 }];
    let retention: Retention = { ...OFF, days: 90, before, total: 2, oldest: '2026-08-23T09:00:00Z', items };
    const run = open({
      'GET /v1/desk/retention': () => retention,
      'POST /v1/desk/retention': () => ({ state: 'running', id: 'Q-8' }),
    });
    expect(
      await screen.findByText(
        /nach 90 Tagen.*Jetzt würden gelöscht: 2 Beiträge, eingegangen vor dem 23\.08\.2026, \d\d:00\./,
      ),
    ).toBeTruthy();
    expect(screen.getByText('<i>Text</i>')).toBeTruthy();
    expect(screen.getByText('und 1 weiterer')).toBeTruthy();
    expect(screen.getByRole('link', { name: 'Beitrag öffnen: Ohne Namen' }).getAttribute('href')).toBe(
      '/admin/eingang/3',
    );
    await run.user.click(screen.getByRole('button', { name: 'Jetzt löschen' }));
    const dialog = within(await screen.findByRole('dialog'));
    expect(
      dialog.getByText(/^2 Beiträge, eingegangen vor dem 23\.08\.2026, \d\d:00, mit allen Dateien\./),
    ).toBeTruthy();
    await run.user.click(dialog.getByRole('checkbox'));
    retention = { ...retention, total: 0, items: [] };
    await run.user.click(dialog.getByRole('button', { name: 'Endgültig löschen' }));
    expect(await screen.findByText('Die Löschung läuft')).toBeTruthy();
    expect(run.requests.find(({ name }) => name === 'POST /v1/desk/retention')?.args).toEqual({ before });
    expect(await screen.findByText(/Zurzeit ist kein Beitrag so alt/)).toBeTruthy();
  });
});

describe('Desk: receipts', () => {
  it('Lists receipts by page, newest first, with running erasures', async () => {
    let away = true;
    const run = open({
      'GET /v1/desk/erasures': ({ after }: { after?: string }) => {
        if (after !== undefined)
          return away ? unreachable() : { ...NONE, receipts: [receipt('Q-1', { by: null, what: 'retention' })] };
        const open = [{ id: 'Q-9', at: '2026-11-21T11:00:00Z', by: 'x', what: 'person' }];
        return { open, receipts: [receipt('Q-5', { by: 'x', contributions: 0, files: 0, events: 0 })], next: 'c' };
      },
    });
    expect(await screen.findByText('Läuft noch')).toBeTruthy();
    expect(screen.getByText('Es war nichts mehr da.')).toBeTruthy();
    expect(screen.getByText(/^Von einem Administrator, /)).toBeTruthy();
    await run.user.click(screen.getByRole('button', { name: 'Mehr laden' }));
    expect((await screen.findByRole('alert')).textContent).toContain('nicht erreichbar');
    away = false;
    await run.user.click(screen.getByRole('button', { name: 'Mehr laden' }));
    expect(await screen.findByText(/^Von selbst, /)).toBeTruthy();
    expect(screen.queryByRole('button', { name: 'Mehr laden' })).toBeNull();
    expect(document.activeElement?.textContent, 'WCAG 2.4.3').toContain('Q-1');
  });

  it('Takes nobody down to the receipts when they come (WCAG 2.4.3)', async () => {
    open({ 'GET /v1/desk/erasures': () => ({ ...NONE, receipts: [receipt('Q-5')], next: 'c' }) });
    // The first screen of a page leaves the focus alone.
    if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
    await screen.findByRole('button', { name: 'Mehr laden' });
    expect(document.activeElement).toBe(document.body);
  });

  it('Replaces a running erasure by its receipt', async () => {
    freezeTime();
    const running = [{ id: 'Q-9', at: '2026-11-21T11:00:00Z', by: 'x', what: 'person' }];
    const lists: unknown[] = [
      { ...NONE, open: running },
      { ...NONE, receipts: [receipt('Q-9')] },
    ];
    open({ 'GET /v1/desk/erasures': () => lists.shift() ?? NONE });
    await waitForState(() => expect(screen.getByText('Läuft noch')).toBeTruthy());
    await pass(15_000);
    await waitForState(() => expect(screen.getByText(/2 Beiträge, 1 Datei/)).toBeTruthy());
    await pass(60_000);
    await waitForState(() => expect(screen.getByText(/2 Beiträge, 1 Datei/)).toBeTruthy());
  });

  it('Reports an empty list and a failed request', async () => {
    let away = true;
    const run = open({ 'GET /v1/desk/erasures': () => (away ? failure('backend_failed', 502) : NONE) });
    expect((await screen.findByRole('alert')).textContent).toContain('gerade nicht erreichbar');
    away = false;
    await run.user.click(screen.getByRole('button', { name: 'Erneut versuchen' }));
    expect(await screen.findByText('Noch wurde nichts gelöscht.')).toBeTruthy();
  });
});
