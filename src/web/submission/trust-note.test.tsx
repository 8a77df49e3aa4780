import { screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { fakeBackendForEach } from '#tests/support/web/fake-for-each.ts';
import { renderFlow } from '#tests/support/web/render-flow.tsx';
import { TrustNote } from './trust-note.tsx';

const fake = fakeBackendForEach();
const renderNote = (retentionDays?: number) => {
  const backend = { ...fake.backend, config: { ...fake.backend.config, retentionDays } };
  return renderFlow(<TrustNote />, { backend });
};

it('Says who gets a contribution and what for, and the rest on a tap (trust)', async () => {
  const { user } = renderNote();
  const line = screen.getByText(/bekommt nur das Redaktionsteam \(Ingenieurverband\)/);
  expect(line.closest('details')?.open).toBe(false);
  await user.click(line);
  expect(line.closest('details')?.open).toBe(true);
  expect(screen.queryByText(/Tagen löschen wir alles/)).toBeNull();
});

it.each([
  [90, '90 Tagen'],
  [1, 'einem Tag'],
])('Names a retention period of %s: %s (trust)', (days, words) => {
  renderNote(days);
  expect(screen.getByText(new RegExp(`^Nach ${words} löschen wir alles`))).toBeTruthy();
});
