import '#tests/support/indexed-db.ts';
import { screen, within } from '@testing-library/react';
import { afterEach, expect, it } from 'vitest';
import { createSessionStore } from '#web/backend/session-store.ts';
import { SessionProvider } from '#web/backend/session.ts';
import { DEVICE_OWNER } from '#web/submission/outbox/entry.ts';
import { browserOutbox } from '#web/submission/outbox/outbox.ts';
import { fakeBackendForEach } from '#tests/support/web/fake-for-each.ts';
import { emptyOutbox, keptBy } from '#tests/support/web/fixtures.ts';
import { renderFlow, waitForState } from '#tests/support/web/render-flow.tsx';
import { OutboxScreen } from './index.tsx';

const fake = fakeBackendForEach();
afterEach(() => emptyOutbox(DEVICE_OWNER));

it('A file that is never going to arrive is removed after a question, and the rest may go (decision 0357)', async () => {
  const outbox = browserOutbox();
  const file = (name: string) => ({ kind: 'file', blob: new File([name], name), name }) as const;
  const contact = { firstName: 'Ada', lastName: 'L', email: 'ada@beispiel.test', consent: undefined };
  const of = { owner: DEVICE_OWNER, area: 'generic', contentId: '7' } as const;
  await outbox.keep(of, [file('a.png'), file('b.png'), { kind: 'contact', contact }]);
  const [entry] = await outbox.store.list(DEVICE_OWNER);
  const part = entry?.parts[0]?.id ?? '';
  await outbox.store.apply(entry?.id ?? '', { type: 'failed', part, revision: 1, reason: 'too-large' });
  outbox.changed();

  const store = createSessionStore(fake.backend.config, () => Promise.resolve(fake.backend));
  const screenWithSession = (
    <SessionProvider value={store}>
      <OutboxScreen />
    </SessionProvider>
  );
  const { user } = renderFlow(screenWithSession, { backend: fake.backend });
  const remove = await screen.findByRole('button', { name: 'a.png entfernen' });
  expect(screen.queryByRole('button', { name: 'b.png entfernen' })).toBeNull();
  await user.click(remove);
  const dialog = screen.getByRole('alertdialog', { name: 'Datei aus dem Beitrag entfernen?' });
  await user.click(within(dialog).getByRole('button', { name: 'Entfernen' }));
  await waitForState(() => expect(screen.queryByText('a.png')).toBeNull());
  expect(await keptBy(DEVICE_OWNER)).toEqual([{ contentId: '7', parts: ['b.png', 'contact'] }]);
});
