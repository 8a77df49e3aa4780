import '#tests/support/indexed-db.ts';
import { screen } from '@testing-library/react';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { AreaId } from '#contract/areas.ts';
import { DEVICE_OWNER } from '#web/submission/outbox/entry.ts';
import { keepParts } from '#web/submission/outbox/keeping.ts';
import { createOutboxStore } from '#web/submission/outbox/store.ts';
import { holdParts, releaseAllParts } from '#web/submission/outbox/use-keep-on-device.ts';
import { keepKey, readKey } from '#web/submission/keys.ts';
import { keepAnswers } from '#web/submission/saving.ts';
import { NETWORK, refusal } from '#tests/support/web/fake-backend.ts';
import { fakeBackendForEach } from '#tests/support/web/fake-for-each.ts';
import { ADA_ID, emptyOutbox, keptBy, logIn } from '#tests/support/web/fixtures.ts';
import {
  expectToast,
  type FlowPlace,
  type FlowRun,
  freezeTime,
  pass,
  renderFlow,
  waitForState,
} from '#tests/support/web/render-flow.tsx';
import { ThankYouScreen } from './index.tsx';

const fake = fakeBackendForEach((world) => void world.interviews.set(7, { id: 7 }));

afterEach(async () => {
  releaseAllParts();
  await emptyOutbox(ADA_ID);
});

const open = (place: Omit<FlowPlace, 'backend'> = {}) =>
  renderFlow(<ThankYouScreen />, { ...place, backend: fake.backend });
const state = { interviewId: '7' };
const picture = { blob: new File(['bild'], 'foto.png', { type: 'image/png' }), name: 'foto.png', path: '7/1_foto.png' };
const text = () => document.body.textContent;

const fields = () => [...document.querySelectorAll<HTMLInputElement>('form input:not([type=checkbox])')];

/** Fills every field of the form; a further one has to be added here. */
async function fill({ user }: FlowRun, email = 'ada@beispiel.test'): Promise<void> {
  for (const field of fields()) await user.clear(field);
  await user.type(screen.getByRole('textbox', { name: 'Vorname' }), ' Ada ');
  await user.type(screen.getByRole('textbox', { name: 'Nachname' }), 'Lovelace');
  await user.type(screen.getByRole('textbox', { name: 'E-Mail' }), email);
}
/** Without the note in the history entry that the details are sent. */
const left = ({ went }: FlowRun) => went.filter(({ to }) => to !== 'thank-you');
const submit = async ({ user }: FlowRun) => user.click(screen.getByRole('button', { name: 'Content übermitteln' }));

describe('Contact details on this device', () => {
  const values = () => fields().map(({ value }) => value);

  it('keeps what was typed over a reload', async () => {
    const run = open({ state });
    await fill(run);
    const typed = values();
    expect(typed).not.toContain('');
    run.unmount();
    open({ state });
    expect(values()).toEqual(typed);
  });

  it('shows the next guest in this tab nothing of what was typed for another contribution', async () => {
    const run = open({ state });
    await fill(run);
    run.unmount();
    open({ state: { interviewId: '8' } });
    expect(values()).toEqual(['', '', '']);
  });

  it('begins with the address of the account, and next time with what was sent', async () => {
    logIn();
    const run = open({ state });
    expect(values()).toEqual(['', '', 'ada@beispiel.test']);
    await fill(run);
    await submit(run);
    await expectToast({ title: 'Erfolgreich' });
    run.unmount();
    open({ state });
    expect(values()).toEqual(['Ada', 'Lovelace', 'ada@beispiel.test']);
  });

  it('forgets them where it is another person’s device', async () => {
    const first = open({ state });
    await fill(first);
    await submit(first);
    await expectToast({ title: 'Erfolgreich' });
    first.unmount();
    const second = open({ state });
    await second.user.click(screen.getByRole('checkbox', { name: /nicht mein Gerät/ }));
    expect(values()).toEqual(['', '', '']);
    await fill(second);
    await submit(second);
    await expectToast({ title: 'Erfolgreich' });
    expect([...Object.values(localStorage), ...Object.values(sessionStorage)].join(' ')).not.toContain('Lovelace');
  });
});

describe('§4, §5, §8 contact form', () => {
  it('Names every missing field (§5)', async () => {
    const run = open({ state });
    await submit(run);
    await waitForState(() =>
      expect(screen.getAllByRole('alert').map((alert) => alert.textContent)).toEqual([
        'Vorname ist erforderlich',
        'Nachname ist erforderlich',
        'Gültige E-Mail-Adresse erforderlich',
      ]),
    );
    expect(fake.called('PATCH interviews')).toEqual([]);
  });

  it.each([
    ['ada@bücher.test', 'ada@xn--bcher-kva.test'],
    ["o'neill+x@a-b.beispiel.test"],
    ['max&co@xn--bcher-kva.test'],
    ['ada@müller.компания', 'ada@xn--mller-kva.xn--80aqeigdi5k'],
    ['Ada Lovelace <ada@beispiel.test>', 'ada@beispiel.test'],
    ['mailto:ada@beispiel.test\u200B', 'ada@beispiel.test'],
  ])(
    '%j is an address, as for an account and the mail server, and is stored in one form (§5)',
    async (email, stored = email) => {
      const run = open({ state });
      await fill(run, email);
      await submit(run);
      await waitForState(() => expect(screen.queryByRole('alert') ?? fake.called('PATCH interviews')[0]).toBeTruthy());
      expect(fake.interviews.get(7)?.['contact_email']).toBe(stored);
    },
  );

  it.each(['ada', 'ada@', '@beispiel.test', 'a b@beispiel.test', 'keine-adresse', 'ada@bücher', 'ädä@beispiel.test'])(
    '%j is no address (§5)',
    async (email) => {
      const run = open({ state });
      await fill(run, email);
      await submit(run);
      await waitForState(() =>
        expect(screen.getByRole('alert').textContent).toBe('Gültige E-Mail-Adresse erforderlich'),
      );
    },
  );

  it.each<AreaId>(['generic', 'firma-a', 'firma-b', 'testnormec'])(
    '%s: saves, clears the stored ids and goes home after 1.5 s',
    async (area) => {
      freezeTime();
      logIn();
      sessionStorage.setItem('currentInterviewId', '7');
      for (const id of ['7', '8']) sessionStorage.setItem(`interview:${id}`, JSON.stringify({ interviewId: id }));
      const run = open({ area, state });
      await fill(run);
      await submit(run);
      await expectToast({
        title: 'Erfolgreich',
        description: 'Ihre Kontaktdaten wurden gespeichert. Wir werden Sie kontaktieren.',
      });
      expect(fake.interviews.get(7)).toMatchObject({
        contact_first_name: 'Ada',
        contact_last_name: 'Lovelace',
        contact_email: 'ada@beispiel.test',
      });
      if (area === 'generic') expect(sessionStorage.getItem('currentInterviewId')).toBeNull();
      expect(Object.keys(sessionStorage).filter((key) => key.startsWith('interview:'))).toEqual(['interview:8']);
      await pass(1499);
      expect(left(run)).toEqual([]);
      await pass(1);
      expect(left(run)).toEqual([{ to: 'home' }]);
    },
  );

  it('without a login ends here instead of at the login form, and offers to add more', async () => {
    freezeTime();
    const run = open({ state });
    await fill(run);
    await submit(run);
    await expectToast({ title: 'Erfolgreich' });
    await pass(60_000);
    expect(left(run)).toEqual([]);
    expect(text()).toContain('Wir prüfen deine Beiträge');
    await run.user.click(screen.getByRole('button', { name: 'Noch etwas beitragen' }));
    expect(left(run)).toEqual([{ to: 'upload', state: {} }]);
  });

  it('ignores a second submit', async () => {
    const run = open({ state });
    await fill(run);
    await run.user.dblClick(screen.getByRole('button', { name: 'Content übermitteln' }));
    await expectToast({ title: 'Erfolgreich' });
    await submit(run);
    expect(fake.called('PATCH interviews')).toHaveLength(1);
  });

  it('Details saved after the screen was left do not move the person on or clear a newer contribution', async () => {
    freezeTime();
    logIn();
    keepKey('local_1_a', 'the-key');
    const run = open({ state: { interviewId: 'local_1_a' } });
    await fill(run);
    await submit(run);
    await waitForState(() => expect(screen.getByRole('button', { name: 'Wird gesendet...' })).toBeTruthy());
    run.leave();
    sessionStorage.setItem('currentInterviewId', '8');
    keepKey('8', 'another-key');
    await pass(500);
    await expectToast({ title: 'Kontaktdaten' });
    expect([readKey('local_1_a'), readKey('8')]).toEqual([undefined, 'another-key']);
    expect(sessionStorage.getItem('currentInterviewId')).toBe('8');
    expect(run.went).toEqual([]);
  });

  it('is busy with its own words while it sends', async () => {
    freezeTime();
    const run = open({ state: { interviewId: 'local_1_a' } });
    await fill(run);
    await submit(run);
    await waitForState(() => expect(screen.getByRole('button', { name: 'Wird gesendet...' })).toBeTruthy());
  });

  it('a local id is only simulated for 0.5 s', async () => {
    freezeTime();
    logIn();
    const run = open({ state: { interviewId: 'local_1_a' } });
    await fill(run);
    await submit(run);
    await waitForState(() => expect(screen.getByRole('button', { name: 'Wird gesendet...' })).toBeTruthy());
    await pass(499);
    expect(text()).not.toContain('Testmodus');
    await pass(1);
    await expectToast({ title: 'Kontaktdaten', description: 'lokal gespeichert (Testmodus)' });
    expect(fake.called('PATCH interviews')).toEqual([]);
    await pass(1500);
    expect(left(run)).toEqual([{ to: 'home' }]);
  });

  it('The transcript of another contribution stays, and is not handed in with this one (decision 0371)', async () => {
    logIn();
    const kept = { interviewTranscript: 'Fremd', 'interviewTranscript:contribution': '6' };
    for (const [key, value] of Object.entries(kept)) localStorage.setItem(key, value);
    sessionStorage.setItem('currentInterviewId', 'local_1_a');
    const run = open({ state: { interviewId: 'local_1_a' } });
    await fill(run);
    await submit(run);
    await expectToast({ title: 'Kontaktdaten', description: 'lokal gespeichert (Testmodus)' });
    expect(await keptBy(ADA_ID)).toEqual([{ contentId: 'local_1_a', parts: ['contact'] }]);
    expect(sessionStorage.getItem('currentInterviewId')).toBeNull();
    expect(localStorage.getItem('interviewTranscript')).toBe('Fremd');
  });

  it('What only this browser has of a local contribution goes by the outbox with it (decision 0357)', async () => {
    logIn();
    sessionStorage.setItem('latestTranscript', 'Hallo');
    sessionStorage.setItem('transcriptInterviewId', 'local_1_a');
    keepAnswers('local_1_a', { who: 'Wir', what: '', when: '', where: '', why: '' });
    holdParts('local_1_a', [{ kind: 'file', ...picture }]);
    const run = open({ state: { interviewId: 'local_1_a' } });
    await fill(run);
    await submit(run);
    await expectToast({ title: 'Kontaktdaten', description: 'lokal gespeichert (Testmodus)' });
    const parts = ['answers', 'foto.png', 'transcript', 'contact'];
    expect(await keptBy(ADA_ID)).toEqual([{ contentId: 'local_1_a', parts }]);
  });

  it('The test area forgets the transcript on entering, but hands it in (§2.11, decision 0357)', async () => {
    logIn();
    sessionStorage.setItem('testnormecLatestTranscript', 'Hallo');
    sessionStorage.setItem('testnormecTranscriptInterviewId', 'local_1_a');
    const run = open({ area: 'testnormec', state: { interviewId: 'local_1_a' } });
    expect(sessionStorage.getItem('testnormecLatestTranscript')).toBeNull();
    await run.user.click(screen.getByRole('button', { name: 'Auf diesem Gerät sichern' }));
    await waitForState(() => expect(text()).toContain('Auf diesem Gerät gesichert'));
    expect(await keptBy(ADA_ID)).toEqual([{ contentId: 'local_1_a', parts: ['transcript'] }]);
    await fill(run);
    await submit(run);
    await expectToast({ title: 'Kontaktdaten', description: 'Sie liegen im Ausgangskorb' });
    expect(await keptBy(ADA_ID)).toEqual([{ contentId: 'local_1_a', parts: ['transcript', 'contact'] }]);
  });

  it('Files that did not arrive go by the outbox before the details (decision 0357)', async () => {
    logIn();
    holdParts('7', [{ kind: 'file', ...picture }]);
    const run = open({ state });
    expect(text()).toContain('Ein Schritt fehlt noch');
    await fill(run);
    await submit(run);
    await expectToast({ title: 'Kontaktdaten', description: 'Sie liegen im Ausgangskorb' });
    expect(await keptBy(ADA_ID)).toEqual([{ contentId: '7', parts: ['foto.png', 'contact'] }]);
    expect(fake.called('PATCH interviews')).toEqual([]);
  });

  it('Files that wait in the outbox go first, also where this page has not read it yet (D9)', async () => {
    const run = open({ state });
    await fill(run);
    // Past the outbox of this page.
    const store = createOutboxStore();
    await keepParts(store, { owner: DEVICE_OWNER, area: 'generic', contentId: '7' }, [{ kind: 'file', ...picture }], {
      now: Date.now,
      earlier: undefined,
    });
    await submit(run);
    await expectToast({ title: 'Kontaktdaten', description: 'Sie liegen im Ausgangskorb' });
    expect(await keptBy(DEVICE_OWNER)).toEqual([{ contentId: '7', parts: ['foto.png', 'contact'] }]);
    expect(fake.called('PATCH interviews')).toEqual([]);
    await emptyOutbox(DEVICE_OWNER);
  });

  it('Says so where this device has no space for a local contribution, and clears nothing (decision 0357)', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => {});
    vi.spyOn(console, 'warn').mockImplementation(() => {});
    vi.spyOn(IDBObjectStore.prototype, 'put').mockImplementation(() => {
      throw new DOMException('full', 'QuotaExceededError');
    });
    logIn();
    sessionStorage.setItem('currentInterviewId', 'local_1_a');
    const run = open();
    await fill(run);
    await submit(run);
    await expectToast({ title: 'Fehler', description: 'Die Kontaktdaten konnten nicht gespeichert werden.' });
    expect(sessionStorage.getItem('currentInterviewId')).toBe('local_1_a');
    expect(run.went).toEqual([]);
  });

  it.each([
    ['refused', refusal(403, '42501'), 1],
    ['without an answer', NETWORK, 2],
  ])('Says when it is %s, keeps what was typed and can be repeated (§8)', async (_name, failure, times) => {
    vi.spyOn(console, 'error').mockImplementation(() => {});
    fake.fail('PATCH interviews', failure, times);
    fake.fail('POST interviews', failure, 1);
    const run = open({ state });
    await fill(run);
    await submit(run);
    await expectToast({
      title: 'Fehler',
      description: 'Die Kontaktdaten konnten nicht gespeichert werden. Bitte versuchen Sie es später erneut.',
    });
    expect(screen.getByRole('textbox', { name: 'Nachname' })).toHaveProperty('value', 'Lovelace');
    await submit(run);
    await expectToast({ title: 'Erfolgreich' });
    expect(fake.interviews.get(7)).toMatchObject({ contact_email: 'ada@beispiel.test' });
  });

  it('Says that saving failed after something unforeseen (§8)', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => {});
    const run = open({ state });
    await fill(run);
    vi.spyOn(Date.prototype, 'toISOString').mockImplementation(() => {
      throw new RangeError('provoked');
    });
    await submit(run);
    await expectToast({ title: 'Fehler', description: 'Es ist ein unerwarteter Fehler aufgetreten.' });
  });

  it.each<[AreaId, string, string]>([
    ['generic', 'currentInterviewId', 'Keine Content-ID gefunden. Bitte starten Sie den Prozess erneut.'],
    ['testnormec', 'testnormecCurrentInterviewId', 'Content-ID fehlt. Kontaktdaten können nicht gespeichert werden...'],
  ])('Says so where the id vanished meanwhile: %s (§8)', async (area, key, description) => {
    sessionStorage.setItem(key, '7');
    const run = open({ area });
    await fill(run);
    sessionStorage.clear();
    await submit(run);
    await expectToast({ title: 'Fehler', description });
    expect(run.went).toEqual([]);
  });
});
