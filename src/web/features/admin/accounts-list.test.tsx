import { render, screen } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { expect, test, vi } from 'vitest';
import type { Account } from '#contract/accounts.ts';
import { AccountsList, type AccountsListProps } from './accounts-list.tsx';

const ACCOUNT: Account = {
  id: '1',
  email: 'mara@firma-a.example',
  role: 'firma_a',
  status: 'active',
  createdAt: '2026-11-01T10:00:00Z',
  invitedAt: null,
  lastSignInAt: null,
};

function show(state: AccountsListProps['state']) {
  const handlers = { onManage: vi.fn(), onPage: vi.fn(), onRetry: vi.fn() };
  render(<AccountsList state={state} own="2" {...handlers} />);
  return handlers;
}

const ready = (accounts: Account[], more: object = {}): AccountsListProps['state'] => ({
  status: 'ready',
  list: { accounts, total: accounts.length, page: 1, perPage: 50, ...more },
});

test('Says that the service key is missing and offers no retry (D14)', () => {
  show({ status: 'failed', problem: 'not_configured' });
  expect(screen.getByRole('status').textContent).toContain('SUPABASE_SERVICE_KEY');
  expect(screen.queryByRole('button')).toBeNull();
});

test('Reports an unreachable server and offers a retry', async () => {
  const { onRetry } = show({ status: 'failed', problem: 'unreachable' });
  expect(screen.getByRole('alert').textContent).toContain('Der Server ist gerade nicht erreichbar.');
  await userEvent.click(screen.getByRole('button', { name: 'Erneut versuchen' }));
  expect(onRetry).toHaveBeenCalledOnce();
});

test('Shows last login, invitation, ban, missing and unknown role, and the own account', () => {
  show(
    ready([
      ACCOUNT,
      { ...ACCOUNT, id: '2', email: 'ich@haus.example', role: 'admin', lastSignInAt: '2026-11-20T10:00:00Z' },
      {
        ...ACCOUNT,
        id: '3',
        email: 'neu@haus.example',
        role: null,
        status: 'invited',
        invitedAt: '2026-11-19T10:00:00Z',
      },
      { ...ACCOUNT, id: '4', email: '', role: 'gast', status: 'locked' },
    ]),
  );
  const rows = screen.getAllByRole('listitem').map((row) => row.textContent);
  expect(rows[0]).toContain('Letzte Anmeldung: nie');
  expect(rows[0]).toContain('Firma A');
  expect(rows[1]).toMatch(/ich@haus\.exampleDu.*20\.11\.2026.*Administrator.*Aktiv/);
  expect(rows[2]).toMatch(/Eingeladen am 19\.11\.2026.*Keine Rolle.*Eingeladen/);
  expect(rows[3]).toMatch(/Ohne E-Mail-Adresse.*gast.*Gesperrt/);
});

test('Offers pages if there are several', async () => {
  const { onPage } = show(ready([ACCOUNT], { total: 120, page: 2 }));
  expect(screen.getByText('Seite 2 von 3')).toBeTruthy();
  await userEvent.click(screen.getByRole('button', { name: 'Nächste' }));
  await userEvent.click(screen.getByRole('button', { name: 'Vorherige' }));
  expect(onPage.mock.calls).toEqual([[3], [1]]);
});

test('Says that no account matches', () => {
  show(ready([]));
  expect(screen.getByText('Niemand gefunden')).toBeTruthy();
  expect(screen.getByText('0 Benutzer')).toBeTruthy();
});
