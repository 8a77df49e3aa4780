import '#tests/support/indexed-db.ts';
import { render, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { storeSession, STUB_CONFIG, STUB_USER, stubServer } from '#tests/support/web/stub-server.ts';
import { DEVICE_OWNER } from '#web/submission/outbox/entry.ts';
import { browserOutbox } from '#web/submission/outbox/outbox.ts';
import { browserStore, keepParts } from '#web/submission/outbox/keeping.ts';
import { createOutboxStore } from '#web/submission/outbox/store.ts';
import { Boot } from './application.tsx';

const ONE = '1 Beitrag wartet auf diesem Gerät auf eine Anmeldung.';
const TWO = '2 Beiträge warten auf diesem Gerät auf eine Anmeldung.';

beforeEach(() => {
  vi.spyOn(window, 'scrollTo').mockImplementation(() => undefined);
});
afterEach(async () => {
  for (const owner of ['bob', STUB_USER.id, DEVICE_OWNER]) {
    for (const { id } of await browserStore().list(owner)) await browserStore().remove(id);
  }
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
  window.history.replaceState(null, '', '/');
});

async function keep(owner: string, contentId: string): Promise<void> {
  const of = { owner, area: 'generic', contentId } as const;
  await keepParts(browserStore(), of, [{ kind: 'transcript', text: 'Geheim' }], { now: Date.now, earlier: undefined });
}

function open(path: string): void {
  window.history.replaceState(null, '', path);
  stubServer({
    'GET /config.json': () => Response.json(STUB_CONFIG),
    'GET /rest/v1/user_roles': () => Response.json({ role: 'firma_a' }),
  });
  // One outbox serves all tests of this file.
  browserOutbox().changed();
  render(<Boot />);
}

it('The login says how many contributions wait for one, and nothing of what is in them (§4, 0123)', async () => {
  await keep(STUB_USER.id, 'local_1_a');
  await keep('bob', 'local_2_b');
  open('/login');
  expect(await screen.findByText(TWO)).toBeTruthy();
  expect(screen.queryByText(/Geheim|local_/)).toBeNull();
});

it('The outbox of a guest says so, too, without what a guest kept here or what has arrived (§4)', async () => {
  await keep(STUB_USER.id, 'local_1_a');
  await keep('bob', 'local_2_b');
  await keep(DEVICE_OWNER, 'local_3_c');
  const [entry] = await browserStore().list('bob');
  await browserStore().apply(entry?.id ?? '', { type: 'sent', part: 'transcript', revision: 1 });
  open('/ausgangskorb');
  expect(await screen.findByText(ONE)).toBeTruthy();
});

it('The own contributions are listed, not counted, and those of other accounts still are (§4)', async () => {
  storeSession();
  await keep(STUB_USER.id, 'local_1_a');
  await keep('bob', 'local_2_b');
  await keep(DEVICE_OWNER, 'local_3_c');
  open('/ausgangskorb');
  expect(await screen.findByText(ONE)).toBeTruthy();
  expect(await screen.findByRole('list', { name: 'Gesicherte Beiträge' })).toBeTruthy();
});

it('What waits for a login that does not come for half a year goes, as of a removed account (§4, 0386)', async () => {
  let now = Date.now();
  const store = createOutboxStore({ now: () => now, name: 'half-a-year' });
  for (const owner of ['bob', STUB_USER.id, DEVICE_OWNER]) {
    const of = { owner, area: 'generic', contentId: 'local_1_a' } as const;
    await keepParts(store, of, [{ kind: 'transcript', text: 'Geheim' }], { now: () => now, earlier: undefined });
  }
  const day = 24 * 60 * 60 * 1_000;
  now += 180 * day;
  expect(await store.countForOtherAccounts(STUB_USER.id)).toBe(1);
  now += day;
  // A guest's entries are listed while an account is logged in, too.
  await store.list(DEVICE_OWNER);
  expect(await store.list('bob')).toHaveLength(1);
  expect(await store.countForOtherAccounts(STUB_USER.id)).toBe(0);
  for (const [owner, left] of [
    [STUB_USER.id, 1],
    ['bob', 0],
    [DEVICE_OWNER, 1],
  ] as const)
    expect([owner, (await store.list(owner)).length]).toEqual([owner, left]);
});
