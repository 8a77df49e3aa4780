import '#tests/support/indexed-db.ts';
import { render } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import { SessionProvider } from '#web/backend/session.ts';
import { createSessionStore } from '#web/backend/session-store.ts';
import { DEVICE_OWNER } from '#web/submission/outbox/entry.ts';
import { browserOutbox } from '#web/submission/outbox/outbox.ts';
import { fakeBackendForEach } from '#tests/support/web/fake-for-each.ts';
import { ADA_ID, emptyOutbox, logIn } from '#tests/support/web/fixtures.ts';
import { waitForState } from '#tests/support/web/render-flow.tsx';
import { OutboxSender } from './outbox-sender.tsx';

const fake = fakeBackendForEach();
afterEach(async () => {
  for (const owner of [ADA_ID, 'bob', DEVICE_OWNER]) await emptyOutbox(owner);
});

async function keep(owner: string, text: string): Promise<string> {
  await browserOutbox().keep({ owner, area: 'generic', contentId: `local_1_${text}` }, [{ kind: 'transcript', text }]);
  const [entry] = await browserOutbox().store.list(owner);
  return entry?.key ?? '';
}

function openLoggedIn(backend = () => Promise.resolve(fake.backend), factors?: Parameters<typeof logIn>[0]): void {
  logIn(factors);
  localStorage.setItem(`last_role:${ADA_ID}`, 'firma_a');
  // Without the login's events, so that no role is looked up.
  const store = { ...createSessionStore(fake.backend.config, backend), backend };
  render(
    <SessionProvider value={store}>
      <OutboxSender />
    </SessionProvider>,
  );
}

/** Who made each row: the key of its contribution, and the bearer of the call. */
function listSenders() {
  return fake.called('POST interviews').map(({ headers }) => {
    const bearer = headers.get('authorization')?.replace('Bearer ', '');
    return [headers.get('x-interview-key'), bearer === fake.backend.config.supabaseKey ? 'guest' : 'login'];
  });
}

it('What a guest kept is sent without the login of the person who is logged in (D9, §4)', async () => {
  const own = await keep(ADA_ID, 'Eigenes');
  const guest = await keep(DEVICE_OWNER, 'Gast');
  openLoggedIn();
  await waitForState(() => expect(fake.interviews.size).toBe(2));
  expect(listSenders()).toEqual([
    [own, 'login'],
    [guest, 'guest'],
  ]);
});

it('Sends nothing with a login whose second factor has yet to be shown (0141)', async () => {
  await keep(ADA_ID, 'Eigenes');
  const guest = await keep(DEVICE_OWNER, 'Gast');
  openLoggedIn(undefined, [{ status: 'verified' }]);
  await waitForState(() => expect(fake.media).toHaveLength(1));
  expect(listSenders()).toEqual([[guest, 'guest']]);
});

it('What another account kept waits for its login (§4)', async () => {
  await keep('bob', 'Bobs');
  const guest = await keep(DEVICE_OWNER, 'Gast');
  openLoggedIn();
  await waitForState(() => expect(fake.media).toHaveLength(1));
  expect(listSenders()).toEqual([[guest, 'guest']]);
});

it('Sends once the browser is online again where the client could not be loaded at first (§4)', async () => {
  await keep(ADA_ID, 'Eigenes');
  const load = vi.fn(() => Promise.resolve(fake.backend));
  load.mockRejectedValueOnce(new Error('offline')).mockRejectedValueOnce(new Error('offline'));
  openLoggedIn(load);
  await waitForState(() => expect(load).toHaveBeenCalledTimes(2));
  window.dispatchEvent(new Event('online'));
  await waitForState(() => expect(fake.media).toHaveLength(1));
});

it('Words for a review go 30 days after their last change (0356)', async () => {
  const day = 86_400_000;
  const keepDraft = (post: number, days: number) =>
    localStorage.setItem(`review_draft:${post}`, JSON.stringify({ at: Date.now() - days * day }));
  keepDraft(7, 29);
  keepDraft(8, 31);
  localStorage.setItem('review_draft:9', 'kaputt');
  openLoggedIn();
  const drafts = () => Object.keys(localStorage).filter((key) => key.startsWith('review_draft:'));
  await waitForState(() => expect(drafts()).toEqual(['review_draft:7']));
});

it('A file dropped beside its zone does not replace the page; text is dropped as ever (§2.10)', () => {
  openLoggedIn();
  const drag = (...types: string[]) => {
    const dataTransfer = { types, dropEffect: 'copy' };
    const event = Object.assign(new Event('dragover', { bubbles: true, cancelable: true }), { dataTransfer });
    return [document.body.dispatchEvent(event), dataTransfer.dropEffect];
  };
  expect(drag('text/plain')).toEqual([true, 'copy']);
  expect(drag('Files')).toEqual([false, 'none']);
  const accept = (event: Event) => event.preventDefault();
  document.body.addEventListener('dragover', accept);
  expect(drag('Files')).toEqual([false, 'copy']);
  document.body.removeEventListener('dragover', accept);
});
