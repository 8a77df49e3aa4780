import { screen } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import type { DeskQuery } from '#contract/desk.ts';
import { deskItem, deskPage } from '#tests/support/web/desk-items.ts';
import { renderDesk, unreachable } from '#tests/support/web/render-desk.tsx';
import { freezeTime, pass, resumeTime, waitForState } from '#tests/support/web/render-flow.tsx';
import { Anchor } from '#web/ui/link.tsx';
import { InboxScreen } from './inbox/inbox-screen.tsx';

afterEach(() => {
  resumeTime();
  vi.unstubAllGlobals();
});

it('Desk: a long list that was left hears of every change since, not of the last fifty alone (0368)', async () => {
  freezeTime();
  let moved = false;
  const rows = Array.from({ length: 201 }, (_, at) => deskItem({ id: 300 - at, contributor: `P${300 - at}` }));
  const now = () =>
    rows.map((item) => (moved && item.id === 300 ? { ...item, state: 'rejected' as const, version: 2 } : item));
  const others = Array.from({ length: 50 }, (_, at) => deskItem({ id: at + 1, changedAt: '2026-11-20T10:00:00Z' }));
  const listed = (query: DeskQuery) => {
    if (query.sort !== 'changed') return query.after === undefined ? deskPage(rows, { next: 'c' }) : deskPage([]);
    return moved && query.after === undefined ? deskPage(others, { next: 'c' }) : deskPage(now().slice(0, 50));
  };
  const { user } = renderDesk(
    (search) => (
      <>
        <Anchor href={search === '?weg' ? '/admin/eingang' : '/admin/eingang?weg'}>Weiter</Anchor>
        {search !== '?weg' && <InboxScreen address="" />}
      </>
    ),
    {
      answers: {
        desk_pulse: () => String(moved),
        desk_inbox: ({ query }: { query: DeskQuery }) => listed(query),
      },
    },
  );
  const getRow = () => screen.getByText('P300').closest('li')?.textContent;
  await waitForState(() => expect(getRow()).toContain('Neu'));
  await pass(15_000);
  await user.click(screen.getByRole('link', { name: 'Weiter' }));
  moved = true;
  await pass(60_000);
  await user.click(screen.getByRole('link', { name: 'Weiter' }));
  await pass(15_000);
  await waitForState(() => expect(getRow()).toContain('Abgelehnt'));
});

it('Desk: an inbox that stands open over midnight does not show yesterday’s times as today’s', async () => {
  freezeTime();
  vi.setSystemTime(new Date(2026, 10, 20, 23, 50));
  const item = deskItem({ createdAt: new Date(2026, 10, 20, 14, 32).toISOString() });
  const answers = { desk_pulse: () => '1', desk_inbox: () => deskPage([item]) };
  renderDesk(() => <InboxScreen address="" />, { answers });
  await waitForState(() => expect(screen.getByText('14:32')).toBeTruthy());
  for (let minutes = 0; minutes < 60; minutes += 1) await pass(60_000);
  expect(screen.queryByText('14:32')).toBeNull();
  expect(screen.getByText('20. Nov.')).toBeTruthy();
});

it('Desk: a laptop that was closed asks as soon as its connection is back, however long it slept', async () => {
  freezeTime();
  let connected = true;
  let asked = 0;
  const desk_pulse = () => {
    asked += 1;
    return connected ? '1' : unreachable();
  };
  renderDesk(() => <InboxScreen address="" />, { answers: { desk_pulse, desk_inbox: () => deskPage([deskItem()]) } });
  await pass(15_000);
  connected = false;
  vi.setSystemTime(Date.now() + 20 * 60_000);
  await pass(15_000);
  await waitForState(() => expect(screen.getByText('Gerade ohne Verbindung')).toBeTruthy());
  connected = true;
  const before = asked;
  for (const name of ['offline', 'online']) window.dispatchEvent(new Event(name));
  await pass(1_000);
  expect(asked).toBeGreaterThan(before);
  expect(screen.queryByText('Gerade ohne Verbindung')).toBeNull();
});
