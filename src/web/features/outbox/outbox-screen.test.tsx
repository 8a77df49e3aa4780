import '#tests/support/indexed-db.ts';
import { screen, within } from '@testing-library/react';
import { afterEach, expect, it } from 'vitest';
import type { BackendClient } from '#web/backend/client.ts';
import { AppConfigProvider } from '#web/backend/config.ts';
import { toBackendError } from '#web/backend/errors.ts';
import { createSessionStore } from '#web/backend/session-store.ts';
import { SessionProvider } from '#web/backend/session.ts';
import { DEVICE_OWNER } from '#web/submission/outbox/entry.ts';
import { browserOutbox } from '#web/submission/outbox/outbox.ts';
import { fakeBackendForEach } from '#tests/support/web/fake-for-each.ts';
import { emptyOutbox, keptBy } from '#tests/support/web/fixtures.ts';
import { renderFlow, waitForState } from '#tests/support/web/render-flow.tsx';
import { uiTexts } from '#web/ui/texts.ts';
import { OutboxScreen } from './index.tsx';

const fake = fakeBackendForEach();
afterEach(() => emptyOutbox(DEVICE_OWNER));

const CONTACT = { firstName: 'Ada', lastName: 'L', email: 'ada@beispiel.test', consent: undefined };
const OF = { owner: DEVICE_OWNER, area: 'generic', contentId: '7' } as const;

function open(backend: BackendClient) {
  const store = createSessionStore(backend.config, () => Promise.resolve(backend));
  const ownScreen = (
    <AppConfigProvider value={backend.config}>
      <SessionProvider value={store}>
        <OutboxScreen />
      </SessionProvider>
    </AppConfigProvider>
  );
  return renderFlow(ownScreen, { backend });
}

it('Contact details kept before consent was asked for say so, and go once it is given (decision 0267)', async () => {
  const outbox = browserOutbox();
  await outbox.keep(OF, [{ kind: 'contact', contact: CONTACT }]);
  const [entry] = await outbox.store.list(DEVICE_OWNER);
  const reason = toBackendError({ message: 'consent is needed', code: 'PT422' }, 422).kind;
  await outbox.store.apply(entry?.id ?? '', { type: 'failed', part: 'contact', revision: 1, reason });
  outbox.changed();
  const config = { ...fake.backend.config, consent: { version: 'v2', text: 'Ich bin einverstanden, dass …' } };
  const { user } = open({ ...fake.backend, config });
  expect(await screen.findByText('Nicht gesendet')).toBeTruthy();
  expect(screen.getByRole('region', { name: 'Einwilligung' }).textContent).toBe(config.consent.text);
  await user.click(screen.getByRole('button', { name: 'Zustimmen und senden' }));
  await waitForState(() => expect(screen.queryByRole('region', { name: 'Einwilligung' })).toBeNull());
  expect(document.activeElement, 'WCAG 2.4.3').toBe(screen.getByText('Wartet auf die Verbindung'));
  const [after] = await outbox.store.list(DEVICE_OWNER);
  expect(after?.parts).toMatchObject([
    { content: { contact: { ...CONTACT, consent: 'v2' } }, revision: 2, state: { status: 'waiting' } },
  ]);
});

it('Says that nothing is sent while no page is open, and that a device may delete what waits (D20)', async () => {
  open(fake.backend);
  expect((await screen.findByText(/gesichert hast/)).textContent).toMatch(/bis dahin offen.*nach einer Woche/);
  for (const words of [uiTexts.keep.text, uiTexts.keep.kept]) expect(words).toMatch(/diese Seite (bis dahin )?offen/);
});

it('Gives out what was refused for good: it may be nowhere else (§4, §8)', async () => {
  const outbox = browserOutbox();
  const audio = { kind: 'recording', blob: new Blob(['ton'], { type: 'audio/webm' }), name: 'Ton.webm' } as const;
  await outbox.keep(OF, [audio, { kind: 'transcript', text: 'Hallo' }, { kind: 'contact', contact: CONTACT }]);
  const { user } = open(fake.backend);
  await screen.findByText('Ton.webm');
  expect(screen.queryByRole('button', { name: /herunterladen/ })).toBeNull();
  const [entry] = await outbox.store.list(DEVICE_OWNER);
  await outbox.store.apply(entry?.id ?? '', { type: 'failed', part: 'recording', revision: 1, reason: 'quota' });
  outbox.changed();
  const given: Blob[] = [];
  URL.createObjectURL = (blob) => `blob:${given.push(blob as Blob)}`;
  for (const name of ['Ton.webm', 'Transkript.txt'])
    await user.click(await screen.findByRole('button', { name: `${name} herunterladen` }));
  await waitForState(() => expect(given).toHaveLength(2));
  expect(await Promise.all(given.map((blob) => blob.text()))).toEqual(['ton', 'Hallo']);
});

it('A file that is never going to arrive is removed after a question, and the rest may go (decision 0357)', async () => {
  const outbox = browserOutbox();
  const file = (name: string) => ({ kind: 'file', blob: new File([name], name), name }) as const;
  await outbox.keep(OF, [file('a.png'), file('b.png'), { kind: 'contact', contact: CONTACT }]);
  const [entry] = await outbox.store.list(DEVICE_OWNER);
  const part = entry?.parts[0]?.id ?? '';
  await outbox.store.apply(entry?.id ?? '', { type: 'failed', part, revision: 1, reason: 'too-large' });
  outbox.changed();

  const { user } = open(fake.backend);
  const remove = await screen.findByRole('button', { name: 'a.png entfernen' });
  expect(screen.queryByRole('button', { name: 'b.png entfernen' })).toBeNull();
  await user.click(remove);
  const dialog = screen.getByRole('alertdialog', { name: 'Datei aus dem Beitrag entfernen?' });
  await user.click(within(dialog).getByRole('button', { name: 'Entfernen' }));
  await waitForState(() => expect(screen.queryByText('a.png')).toBeNull());
  expect(await keptBy(DEVICE_OWNER)).toEqual([{ contentId: '7', parts: ['b.png', 'contact'] }]);
});
