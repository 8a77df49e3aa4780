import { screen } from '@testing-library/react';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { DEVICE_OWNER } from '#web/submission/outbox/entry.ts';
import { browserOutbox } from '#web/submission/outbox/outbox.ts';
import { refusal } from '#tests/support/web/fake-backend.ts';
import { fakeBackendForEach } from '#tests/support/web/fake-for-each.ts';
import { chooseFiles, emptyOutbox, keptBy, loseFile } from '#tests/support/web/fixtures.ts';
import { expectToast, type FlowRun, renderFlow, waitForState } from '#tests/support/web/render-flow.tsx';
import { DocumentUploadScreen } from './index.tsx';
import '#tests/support/indexed-db.ts';

const fake = fakeBackendForEach();
afterEach(async () => {
  await emptyOutbox(DEVICE_OWNER);
});

const open = () => renderFlow(<DocumentUploadScreen />, { backend: fake.backend });
const report = () => new File(['inhalt'], 'Bericht.pdf', { type: 'application/pdf' });
const click = ({ user }: FlowRun, name: string) => user.click(screen.getByRole('button', { name }));
const shows = (text: string | RegExp) => waitForState(() => expect(screen.getByText(text)).toBeTruthy());

/** A document that can only be kept on this device. */
async function openWithoutBackend(): Promise<Readonly<{ run: FlowRun; file: File }>> {
  for (const call of ['GET interviews', 'GET media_uploads', 'GET bucket']) fake.fail(call, refusal(400, 'XX000'), 99);
  const run = open();
  const file = report();
  await chooseFiles(run, file);
  await waitForState(() => expect(screen.getByRole('button', { name: 'Auf diesem Gerät sichern' })).toBeTruthy());
  return { run, file };
}

describe('§8 a document that the device no longer gives', () => {
  it('is no lost connection when it is sent', async () => {
    const run = open();
    await chooseFiles(run, loseFile(report()));
    await click(run, 'Hochladen');
    await shows(/Lässt sich nicht mehr lesen\. Wähle die Datei noch einmal aus\.$/);
    expect(fake.called('POST object')).toEqual([]);
  });

  it('is no lack of space when it is kept, and nothing of it is kept', async () => {
    const { run, file } = await openWithoutBackend();
    loseFile(file);
    await click(run, 'Auf diesem Gerät sichern');
    await shows('„Bericht.pdf“ lässt sich nicht mehr lesen. Wähle die Datei noch einmal aus.');
    expect(await keptBy(DEVICE_OWNER)).toEqual([]);
  });
});

describe('§4 a document that could not be kept', () => {
  it.each([
    ['QuotaExceededError', 'Auf diesem Gerät ist nicht genug Platz. Gib Speicher frei und versuche es noch einmal.'],
    ['InvalidStateError', 'Das Sichern hat nicht geklappt. Versuche es noch einmal.'],
  ])('says why: %s', async (name, text) => {
    vi.spyOn(console, 'warn').mockImplementation(() => {});
    const { run } = await openWithoutBackend();
    vi.spyOn(browserOutbox(), 'keep').mockRejectedValueOnce(new DOMException('', name));
    await click(run, 'Auf diesem Gerät sichern');
    await shows(text);
    await click(run, 'Erneut versuchen');
    await expectToast({ title: 'Dokument gesichert' });
  });
});
