import { fireEvent, screen, waitFor } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import { renderDesk } from '#tests/support/web/render-desk.tsx';
import type { DeskQuery } from '#contract/desk.ts';
import { deskItem, deskPage } from '#tests/support/web/desk-items.ts';
import { InboxScreen } from '../inbox/inbox-screen.tsx';
import { FilterFields } from './filter-fields.tsx';
import { isTypingOn, useFilter } from './use-filter.ts';

afterEach(() => vi.unstubAllGlobals());

const COLLEAGUES = [{ id: 'kim', email: 'kim@haus.example', locked: true }];

function Fields({ address }: Readonly<{ address: string }>) {
  const { filter, change } = useFilter('/admin/eingang', address);
  return <FilterFields filter={filter} colleagues={COLLEAGUES} ownId="" onChange={change} />;
}

const open = (address: string) => renderDesk((search) => <Fields address={search} />, { address, answers: {} });
const day = () => screen.getByLabelText<HTMLInputElement>('Eingegangen ab');
const type = (value: string) => fireEvent.change(day(), { target: { value } });

it('Desk: leads to the contribution whose Content-ID is searched for, where there is one', async () => {
  const gone = ({ ids }: { ids: number[] }) => ids.filter((id) => id !== 17);
  const answers = { desk_inbox: () => deskPage([]), desk_gone: gone };
  renderDesk((search) => <InboxScreen address={search} />, { address: '', answers });
  const field = await screen.findByRole('searchbox');
  const search = (value: string) => fireEvent.change(field, { target: { value } });
  search('18');
  expect(await screen.findByText('In Texten und Namen kommt das nicht vor.')).toBeTruthy();
  search('Content-ID: 17');
  const link = await screen.findByRole('link', { name: 'Beitrag mit der Content-ID 17 öffnen' });
  expect(link.getAttribute('href')).toBe('/admin/eingang/17');
  search('17 Zyklen');
  await waitFor(() => expect(link.isConnected).toBe(false));
});

it('Desk: says that nothing is found, where rows stood before (4.1.3)', async () => {
  const answer = ({ query }: { query: DeskQuery }) => deskPage(query.search === 'nichts' ? [] : [deskItem()]);
  renderDesk((search) => <InboxScreen address={search} />, { answers: { desk_inbox: answer } });
  const said = await screen.findByText('1 Beitrag angezeigt');
  fireEvent.change(screen.getByRole('searchbox'), { target: { value: 'nichts' } });
  await waitFor(() => expect(said.textContent).toBe('0 Beiträge angezeigt'));
  expect(said.isConnected).toBe(true);
});

it('Desk: takes a typed day only once it is one that the field allows', () => {
  const { place } = open('?art=video');
  for (const typed of ['0002-11-25', '0020-11-25', '0202-11-25']) type(typed);
  expect([place(), day().value]).toEqual(['?art=video', '0202-11-25']);
  fireEvent.blur(day());
  expect(screen.getByRole('alert').textContent).toContain('Bitte gib einen Tag zwischen 2020 und 2099 ein.');
  type('2026-11-25');
  expect(place()).toBe('/admin/eingang?art=video&von=2026-11-25');
  expect(screen.queryByRole('alert')).toBeNull();
  type('');
  expect(place()).toBe('/admin/eingang?art=video');
});

it('Desk: shows the day of the address where that changes', () => {
  const { place } = open('?von=2026-11-25');
  type('0002-11-25');
  fireEvent.click(screen.getByRole('checkbox', { name: 'Video' }));
  expect(place()).toBe('/admin/eingang?art=video&von=2026-11-25');
  type('2026-11-26');
  expect(day().value).toBe('2026-11-26');
});

it.each([
  [{}, { from: '2026-11-25' }, false],
  [{ from: '2026-11-25' }, { from: '2026-11-26' }, true],
  [{ from: '2026-11-25' }, { from: undefined }, false],
  [{ from: '2026-11-25' }, { until: '2026-11-26' }, false],
  [{ search: 'a' }, { search: 'ab' }, true],
  [{ states: ['new'] }, { states: ['rejected'] }, false],
] as const)('Desk: after %o, %o replaces the entry of the history: %s', (filter, change, replaces) => {
  expect(isTypingOn(filter, change)).toBe(replaces);
});

it('Desk: finds what a colleague has who is locked', () => {
  const { place } = open('');
  fireEvent.change(screen.getByLabelText('Bearbeitung'), { target: { value: 'kim' } });
  expect(screen.getByRole('option', { name: 'kim@haus.example (nicht verfügbar)' })).toBeTruthy();
  expect(place()).toBe('/admin/eingang?bearbeitung=kim');
});
