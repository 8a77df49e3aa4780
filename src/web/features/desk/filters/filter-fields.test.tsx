import { fireEvent, screen } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import { renderDesk } from '#tests/support/web/render-desk.tsx';
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
