import { screen, within } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import { deskItem, deskPage } from '#tests/support/web/desk-items.ts';
import { renderDesk } from '#tests/support/web/render-desk.tsx';
import { InboxScreen } from './inbox-screen.tsx';

afterEach(() => vi.unstubAllGlobals());

it('Desk: a row says how many posts of a contribution are approved, and that all are (0263)', async () => {
  const item = deskItem({ state: 'for_review', posts: { approved: 2, changes: 0, total: 2 } });
  renderDesk((search) => <InboxScreen address={search} />, { answers: { desk_inbox: () => deskPage([item]) } });
  const row = within(await screen.findByRole('list', { name: 'Beiträge' })).getByRole('listitem');
  expect(row.textContent).toContain('2 von 2 freigegeben');
  expect(row.textContent).toContain('Alles freigegeben');
});
