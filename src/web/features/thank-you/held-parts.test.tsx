import '#tests/support/indexed-db.ts';
import { act, screen } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import { browserOutbox } from '#web/submission/outbox/outbox.ts';
import { getHeldParts, holdParts, releaseAllParts } from '#web/submission/outbox/use-keep-on-device.ts';
import { fakeBackendForEach } from '#tests/support/web/fake-for-each.ts';
import { ADA_ID, emptyOutbox, keptBy, logIn, loseFile } from '#tests/support/web/fixtures.ts';
import { expectToast, type FlowRun, renderFlow, waitForState } from '#tests/support/web/render-flow.tsx';
import { useChosenFiles } from '#web/submission/use-chosen-files.ts';
import { ThankYouScreen } from './index.tsx';

const fake = fakeBackendForEach((world) => void world.interviews.set(4711, { id: 4711 }));
afterEach(async () => {
  releaseAllParts();
  await emptyOutbox(ADA_ID);
});

const film = () => new File(['film'], 'film.mp4', { type: 'video/mp4', lastModified: 1 });
const click = ({ user }: FlowRun, name: string) => user.click(screen.getByRole('button', { name }));

async function openFilled(id: string): Promise<FlowRun> {
  logIn();
  sessionStorage.setItem('currentInterviewId', id);
  const run = renderFlow(<ThankYouScreen />, { backend: fake.backend });
  await run.user.type(screen.getByRole('textbox', { name: 'Vorname' }), 'Ada');
  await run.user.type(screen.getByRole('textbox', { name: 'Nachname' }), 'Lovelace');
  return run;
}

/** From now on the device has no more room for files, until the returned function is called. */
function fillDevice(): () => void {
  for (const method of ['warn', 'error'] as const) vi.spyOn(console, method).mockImplementation(() => {});
  // oxlint-disable-next-line typescript/unbound-method -- called with the store it belongs to, below
  const put = IDBObjectStore.prototype.put;
  const full = vi.spyOn(IDBObjectStore.prototype, 'put').mockImplementation(function (
    this: IDBObjectStore,
    value: object,
  ) {
    if ('bytes' in value) throw new DOMException('full', 'QuotaExceededError');
    return put.call(this, value);
  });
  return () => full.mockRestore();
}

it('a film that had no room on the device goes with the contribution once its row is made', async () => {
  const answers = { who: 'Wir', what: '', when: '', where: '', why: '' };
  const run = await openFilled('local_5_a');
  holdParts('local_5_a', [
    { kind: 'answers', answers },
    { kind: 'file', blob: film(), name: 'film.mp4' },
  ]);
  const makeRoom = fillDevice();
  await click(run, 'Content übermitteln');
  await expectToast({ title: 'Fehler', description: 'Die Kontaktdaten konnten nicht gespeichert werden.' });
  expect(await keptBy(ADA_ID)).toEqual([{ contentId: 'local_5_a', parts: ['answers'] }]);
  makeRoom();
  const outbox = browserOutbox();
  const [entry] = await outbox.store.list(ADA_ID);
  await outbox.store.apply(entry?.id ?? '', { type: 'row-known', id: 4711 });
  await outbox.store.apply(entry?.id ?? '', { type: 'sent', part: 'answers', revision: 1 });
  act(() => outbox.changed());
  await waitForState(() => expect(document.body.textContent).toContain('Content-ID: 4711'));
  await click(run, 'Content übermitteln');
  await expectToast({ title: 'Kontaktdaten', description: 'Sie liegen im Ausgangskorb' });
  expect(await keptBy(ADA_ID)).toEqual([{ contentId: 'local_5_a', parts: ['answers', 'film.mp4', 'contact'] }]);
  expect(['local_5_a', '4711'].flatMap(getHeldParts)).toEqual([]);
});

it('§8 a film that the device no longer gives is named, and holds up nothing else', async () => {
  vi.spyOn(console, 'warn').mockImplementation(() => {});
  const run = await openFilled('local_8_a');
  const answers = { who: 'Wir', what: '', when: '', where: '', why: '' };
  holdParts('local_8_a', [
    { kind: 'answers', answers },
    { kind: 'file', blob: loseFile(film()), name: 'film.mp4' },
  ]);
  await run.user.type(screen.getByRole('textbox', { name: 'Vorname' }), ' B.');
  await click(run, 'Auf diesem Gerät sichern');
  await waitForState(() => expect(document.body.textContent).toContain('„film.mp4“ lässt sich nicht mehr lesen.'));
  await click(run, 'Erneut versuchen');
  await waitForState(() => expect(screen.getByText('Auf diesem Gerät gesichert')).toBeTruthy());
  await click(run, 'Content übermitteln');
  await expectToast({ title: 'Kontaktdaten' });
  expect(await keptBy(ADA_ID)).toEqual([{ contentId: 'local_8_a', parts: ['answers', 'contact'] }]);
});

it('§4 what found no room on the device does not read as kept there after a reload', async () => {
  const run = await openFilled('local_9_a');
  holdParts('local_9_a', [{ kind: 'file', blob: film(), name: 'film.mp4' }]);
  fillDevice();
  await run.user.type(screen.getByRole('textbox', { name: 'Vorname' }), ' B.');
  await click(run, 'Auf diesem Gerät sichern');
  await waitForState(() => expect(document.body.textContent).toContain('nicht genug Platz'));
  run.unmount();
  // A reload: the page's memory is gone, and the outbox is read again.
  releaseAllParts();
  browserOutbox().changed();
  await openFilled('local_9_a');
  await waitForState(() => expect(screen.getByRole('button', { name: 'Auf diesem Gerät sichern' })).toBeTruthy());
  expect(screen.queryByText('Auf diesem Gerät gesichert')).toBeNull();
  expect(await keptBy(ADA_ID)).toEqual([]);
});

it('a submit while the device still keeps the film waits for it: it is in the contribution once', async () => {
  const run = await openFilled('local_6_a');
  const given = film();
  const { promise, resolve } = Promise.withResolvers<void>();
  const slice = given.slice.bind(given);
  vi.spyOn(given, 'slice').mockImplementation((...range) => {
    const piece = slice(...range);
    return Object.assign(piece, { arrayBuffer: () => promise.then(() => Blob.prototype.arrayBuffer.call(piece)) });
  });
  holdParts('local_6_a', [{ kind: 'file', blob: given, name: 'film.mp4' }]);
  // Drawn again, the screen offers to keep what is held.
  await run.user.type(screen.getByRole('textbox', { name: 'Vorname' }), ' B.');
  await click(run, 'Auf diesem Gerät sichern');
  await click(run, 'Content übermitteln');
  // Longer than the wait that a local id is shown.
  await new Promise((done) => setTimeout(done, 800));
  resolve();
  await expectToast({ title: 'Kontaktdaten' });
  expect(await keptBy(ADA_ID)).toEqual([{ contentId: 'local_6_a', parts: ['film.mp4', 'contact'] }]);
});

it.each([
  ['upload:', []],
  ['upload:4711', []],
  ['upload:8', ['a.jpg']],
])('the contact details end what was chosen and not sent: %s', async (place, left) => {
  function Chooser() {
    const { files, add } = useChosenFiles(place);
    return <button onClick={() => add([new File(['a'], 'a.jpg')])}>{files.map(({ file }) => file.name).join()}</button>;
  }
  logIn();
  const chooser = renderFlow(<Chooser />, { backend: fake.backend });
  await chooser.user.click(screen.getByRole('button'));
  chooser.unmount();
  const run = await openFilled('4711');
  await click(run, 'Content übermitteln');
  await expectToast({ title: 'Erfolgreich' });
  run.unmount();
  renderFlow(<Chooser />, { backend: fake.backend });
  expect(screen.getByRole('button').textContent).toBe(left.join());
});
