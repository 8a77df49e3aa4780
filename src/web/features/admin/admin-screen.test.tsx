import { screen, waitFor } from '@testing-library/react';
import { expect, test } from 'vitest';
import { refusal, renderDesk, type DeskAnswers } from '#tests/support/web/render-desk.tsx';
import { AdminScreen } from './index.tsx';

const FIGURES = ['firma_a', 'firma_b', 'testnormec', 'admin'].map((role) => ({
  role,
  total_interviews: 80,
  total_media_uploads: 12,
  active_users: 4,
  users: [],
}));

const open = (answers: DeskAnswers) =>
  renderDesk(() => <AdminScreen association="Ingenieurverband" desk={null} />, {
    answers: { admin_statistics: () => FIGURES, admin_activity: () => [], ...answers },
  });
const card = (name: RegExp) => screen.getByRole('link', { name });

test("A load error: its message and 'Keine Daten verfügbar' on the screen, and the next try works (§8)", async () => {
  let broken = true;
  const asleep = () => Response.json({ message: 'Die Datenbank schläft', code: 'XX000' }, { status: 500 });
  const { user } = open({
    admin_statistics: () => (broken ? asleep() : FIGURES),
    admin_activity: () => (broken ? asleep() : []),
  });
  expect(await screen.findByText('Die Datenbank schläft')).toBeTruthy();
  expect(card(/^Firma A/).textContent).toContain('Keine Daten verfügbar');
  broken = false;
  await user.click(screen.getByRole('button', { name: 'Aktualisieren' }));
  await waitFor(() => expect(card(/^Firma A/).textContent).toContain('80 Beiträge'));
  expect(screen.queryByText('Die Datenbank schläft')).toBeNull();
});

test("An error without words is 'Unbekannter Fehler'; while nothing has come yet: 'Lade Statistiken...' (§8)", async () => {
  const held = Promise.withResolvers<unknown>();
  open({ admin_statistics: () => held.promise });
  expect(card(/^Firma B/).textContent).toContain('Lade Statistiken...');
  held.resolve({ nonsense: true });
  expect(await screen.findByText('Unbekannter Fehler')).toBeTruthy();
  expect(card(/^Firma B/).textContent).toContain('Keine Daten verfügbar');
});

test('No figures are shown of an area whose figures a later load does not bring (§8)', async () => {
  let broken = false;
  const { user } = open({ admin_statistics: () => (broken ? refusal(500, 'XX000') : FIGURES) });
  await waitFor(() => expect(card(/^Firma A/).textContent).toContain('80 Beiträge'));
  broken = true;
  await user.click(screen.getByRole('button', { name: 'Aktualisieren' }));
  await waitFor(() => expect(card(/^Firma A/).textContent).toContain('Keine Daten verfügbar'));
});

test('The card of each area leads to it (§2.12)', async () => {
  const { user, place } = open({});
  for (const [name, path] of [
    [/^Firma A/, '/firma-a'],
    [/^Firma B/, '/firma-b'],
    [/^Testnormec/, '/testnormec'],
    [/^Ingenieurverband/, '/content-selection'],
  ] as const) {
    await user.click(card(name));
    expect(place()).toBe(path);
  }
});

test('Figures of the most active stand as those of their area do (§2.12)', async () => {
  const user = { user_id: '1', user_email: 'a@firma.test', interviews_count: 1_234, media_uploads_count: 1 };
  const users = [{ ...user, last_activity: null }];
  open({ admin_statistics: () => FIGURES.map((one) => ({ ...one, total_interviews: 1_234, users })) });
  expect((await screen.findAllByText('1.234 Beiträge · 1 Upload')).length).toBe(FIGURES.length);
});
