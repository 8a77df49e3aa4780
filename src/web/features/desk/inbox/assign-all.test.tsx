import { screen, waitFor, within } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import type { DeskChange } from '#contract/desk.ts';
import { deskContribution, deskItem, deskPage } from '#tests/support/web/desk-items.ts';
import { refusal, renderDesk, unreachable, type DeskAnswers } from '#tests/support/web/render-desk.tsx';
import { InboxScreen } from './inbox-screen.tsx';

type Change = Readonly<{ id: number; version: number; change: DeskChange }>;

const KIM = { id: 'kim', email: 'kim@haus.example' };
const GONE = { id: 'gone', email: 'fort@haus.example', locked: true };

const open = (address: string, answers: DeskAnswers) =>
  renderDesk((search) => <InboxScreen address={search} />, {
    address,
    answers: { desk_colleagues: () => [KIM, GONE], ...answers },
  });
const press = (name: string | RegExp) => screen.findByRole('button', { name });

test('Assigns what a filter shows, past what a colleague has changed, and goes on after a lost line (0421)', async () => {
  let items = [1, 2, 3, 4].map((id) => deskItem({ id, assignee: id === 4 ? KIM.id : GONE.id, version: id }));
  const changes: Change[] = [];
  let away = true;
  const { user } = open('?suche=Welle', {
    desk_inbox: () => deskPage(items),
    desk_change: (asked: Change) => {
      if (asked.id === 3 && away) return unreachable();
      if (asked.id === 2) return refusal(409, 'PT409');
      changes.push(asked);
      const made = { id: asked.id, assignee: KIM.id, version: asked.version + 1 };
      items = items.map((item) => (item.id === asked.id ? deskItem(made) : item));
      return deskContribution(made);
    },
  });
  await user.click(await press('Alle 4 zuweisen'));
  const dialog = within(await screen.findByRole('dialog', { name: '4 Beiträge zuweisen' }));
  expect(dialog.getAllByRole('option').map(({ textContent }) => textContent)).toEqual(['Niemand', KIM.email]);
  await user.selectOptions(dialog.getByRole('combobox'), KIM.email);
  await user.click(dialog.getByRole('button', { name: 'Zuweisen' }));
  expect((await dialog.findByRole('alert')).textContent).toContain('nicht erreichbar');
  away = false;
  await user.click(dialog.getByRole('button', { name: 'Zuweisen' }));
  expect(await screen.findByText('1 Beitrag zugewiesen')).toBeTruthy();
  expect(screen.getByText('1 Beitrag nicht: Jemand anderes war gerade schneller.')).toBeTruthy();
  expect(changes.map(({ id, version }) => [id, version])).toEqual([
    [1, 1],
    [3, 3],
  ]);
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  vi.unstubAllGlobals();
});

test('Who closes the dialog assigns no more than what is on its way (0421)', async () => {
  const items = [1, 2, 3].map((id) => deskItem({ id, version: id }));
  const asked: number[] = [];
  let answer = (): void => undefined;
  const { user } = open('?suche=Welle', {
    desk_inbox: () => deskPage(items),
    desk_change: async ({ id }: Change) => {
      asked.push(id);
      await new Promise<void>((resolve) => (answer = resolve));
      return deskContribution({ id, assignee: KIM.id, version: id + 1 });
    },
  });
  await user.click(await press('Alle 3 zuweisen'));
  const dialog = within(await screen.findByRole('dialog'));
  await user.selectOptions(dialog.getByRole('combobox'), KIM.email);
  await user.click(dialog.getByRole('button', { name: 'Zuweisen' }));
  await waitFor(() => expect(asked).toEqual([1]));
  await user.click(dialog.getByRole('button', { name: 'Abbrechen' }));
  answer();
  expect(await screen.findByText('1 Beitrag zugewiesen')).toBeTruthy();
  expect(asked).toEqual([1]);
  vi.unstubAllGlobals();
});

test('Offers nothing of the kind for the whole inbox, or for one row (0421)', async () => {
  open('?sortierung=name', { desk_inbox: () => deskPage([deskItem({ id: 1 }), deskItem({ id: 2 })]) });
  await screen.findByRole('list', { name: 'Beiträge' });
  expect(screen.queryByRole('button', { name: /zuweisen/ })).toBeNull();
});
