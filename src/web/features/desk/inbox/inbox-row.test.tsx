import { screen, waitFor, within } from '@testing-library/react';
import { type ReactNode, useState } from 'react';
import { afterEach, expect, it, vi } from 'vitest';
import type { DeskItem, DeskQuery } from '#contract/desk.ts';
import { deskContribution, deskItem, deskPage } from '#tests/support/web/desk-items.ts';
import { renderDesk } from '#tests/support/web/render-desk.tsx';
import { NavigationProvider } from '#web/ui/link.tsx';
import { ContributionScreen } from '../contribution/index.tsx';
import { InboxScreen } from './inbox-screen.tsx';

afterEach(() => vi.unstubAllGlobals());

it.each<[Partial<DeskItem>, string, boolean]>([
  [{ state: 'for_review', posts: { approved: 2, changes: 0, total: 2 } }, 'Alles freigegeben', true],
  [{ state: 'published', posts: { approved: 2, changes: 0, total: 2 } }, 'Alles freigegeben', false],
  // One post stands in its channel while the contributor reads another.
  [{ state: 'published', posts: { approved: 1, changes: 1, total: 2 } }, 'Änderung gewünscht', true],
  [{ state: 'rejected', posts: { approved: 1, changes: 1, total: 2 } }, 'Änderung gewünscht', false],
  // It stands in its channel without a yes, whatever became of the contribution.
  [{ state: 'published', posts: { approved: 1, withdrawn: 1, total: 2 } }, 'Zurückgezogen', true],
  [{ state: 'rejected', posts: { approved: 1, changes: 1, withdrawn: 1, total: 2 } }, 'Zurückgezogen', true],
])('Desk: a row says how many posts are approved, and what waits for the team (0263): %o', async (facts, text, is) => {
  const answers = { desk_inbox: () => deskPage([deskItem(facts)]) };
  renderDesk((search) => <InboxScreen address={search} />, { address: `?suche=${text}${facts.state}`, answers });
  const row = within(await screen.findByRole('list', { name: 'Beiträge' })).getByRole('listitem');
  expect(row.textContent).toContain(`${facts.posts?.approved} von 2 freigegeben`);
  expect(row.textContent.includes(text)).toBe(is);
});

it('Desk: the keys begin at the top of the list of another filter', async () => {
  const page = (from: number) =>
    deskPage([1, 2, 3].map((id) => deskItem({ id: from + id, contributor: `P${from + id}` })));
  const { user } = renderDesk((search) => <InboxScreen address={search} />, {
    answers: { desk_inbox: ({ query }: { query: DeskQuery }) => page(query.states === undefined ? 0 : 3) },
  });
  await screen.findByText('P1');
  await user.keyboard('jjj');
  expect(document.activeElement?.textContent).toBe('P3');
  await user.click(screen.getByRole('link', { name: /^Neu/ }));
  await screen.findByText('P4');
  await user.keyboard('j');
  expect(document.activeElement?.textContent).toBe('P4');
});

function Desk(): ReactNode {
  const [path, go] = useState('/admin/eingang');
  const id = Number(/\d*$/.exec(path));
  return (
    <NavigationProvider value={go}>
      {id === 0 ? <InboxScreen address="" /> : <ContributionScreen id={id} address="" />}
    </NavigationProvider>
  );
}

it('Desk: the way back leads to the row of the contribution that was looked at last', async () => {
  const items = [9, 8, 7].map((id) => deskItem({ id, contributor: `Person ${id}` }));
  const { user } = renderDesk(() => <Desk />, {
    answers: {
      desk_inbox: () => deskPage(items),
      desk_contribution: ({ id }: { id: number }) => deskContribution({ id, contributor: `Person ${id}` }),
    },
  });
  await user.click(await screen.findByRole('link', { name: 'Person 9' }));
  for (const shown of [9, 8, 7]) {
    if (shown < 9) await user.keyboard('j');
    await screen.findByRole('heading', { level: 1, name: `Person ${shown}` });
  }
  await user.keyboard('u');
  await waitFor(() => expect(document.activeElement?.textContent).toBe('Person 7'));
});
