import { act, screen, within } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { releaseAllParts } from '#web/submission/outbox/use-keep-on-device.ts';
import { NETWORK, refusal, storageRefusal } from '#tests/support/web/fake-backend.ts';
import { fakeBackendForEach } from '#tests/support/web/fake-for-each.ts';
import { stubObjectUrls } from '#tests/support/web/fixtures.ts';
import {
  expectToast,
  type FlowPlace,
  type FlowRun,
  freezeTime,
  pass,
  renderFlow,
  waitForState,
} from '#tests/support/web/render-flow.tsx';
import { ImageUploadAfterVoiceScreen } from './index.tsx';

const fake = fakeBackendForEach();
beforeEach(stubObjectUrls);
afterEach(releaseAllParts);

const open = (place: Omit<FlowPlace, 'backend'> = {}) =>
  renderFlow(<ImageUploadAfterVoiceScreen />, { ...place, backend: fake.backend });
const test = { area: 'testnormec', state: { interviewId: '7' } } as const;
const image = (name = 'a.jpg', content = 'bild') => new File([content], name, { type: 'image/jpeg' });
const many = (count: number) => Array.from({ length: count }, (_, index) => image(`${index}.jpg`));

async function choose({ user }: FlowRun, ...files: File[]): Promise<void> {
  const input = document.querySelector('input[type=file]');
  if (!(input instanceof HTMLInputElement)) return expect.fail('no file input');
  input.multiple = true;
  input.accept = '';
  await user.upload(input, files);
}
const upload = async ({ user }: FlowRun) => user.click(screen.getByRole('button', { name: 'Hochladen' }));
const shown = (): HTMLElement[] => {
  const list = screen.queryByRole('list', { name: 'Ausgewählte Bilder' });
  return list === null ? [] : within(list).queryAllByRole('listitem');
};

describe('§4 backend status', () => {
  it('says when there is no connection, and notices within 10 s that it is back', async () => {
    freezeTime();
    for (const call of ['GET interviews', 'GET media_uploads', 'GET bucket']) fake.fail(call, refusal(400, 'XX000'));
    open({ state: { interviewId: '7' } });
    await waitForState(() => expect(screen.getByText(/Gerade besteht keine Verbindung\./)).toBeTruthy());
    await pass(5000);
    await waitForState(() => expect(screen.queryByText(/Gerade besteht keine Verbindung/)).toBeNull());
  });

  it('notices at once that the browser is offline', async () => {
    open({ state: { interviewId: '7' } });
    await waitForState(() => expect(fake.called('GET bucket')).toHaveLength(1));
    act(() => void window.dispatchEvent(new Event('offline')));
    await waitForState(() => expect(screen.getByText(/Gerade besteht keine Verbindung/)).toBeTruthy());
    act(() => void window.dispatchEvent(new Event('online')));
    await waitForState(() => expect(screen.queryByText(/Gerade besteht keine Verbindung/)).toBeNull());
  });
});

describe('§5 which files', () => {
  it.each([
    ['a.gif', 'image/gif', 'nicht unterstützt werden.'],
    ['plan.pdf', 'application/pdf', 'nicht unterstützt werden.'],
    ['ohne-endung', 'image/png', 'nicht unterstützt werden.'],
    ['IMG_1.HEIC', 'image/heic', 'HEIC-Fotos können noch nicht angezeigt werden.'],
    ['IMG_2.HEIC', 'image/png', 'Maximale Kompatibilität'],
  ])('drops %s (%s)', async (name, type, words) => {
    const run = open(test);
    await choose(run, new File(['x'], name, { type }), image());
    await expectToast({
      title: 'Ungültiger Dateityp',
      description: 'Einige Dateien wurden nicht hinzugefügt, da sie nicht unterstützt werden.',
    });
    await expectToast({ title: words });
    expect(shown()).toHaveLength(1);
  });

  it('Names size and limit of a file that is too large (D19)', async () => {
    const run = open(test);
    const large = image('gross.jpg');
    Object.defineProperty(large, 'size', { value: 51 * 1024 * 1024 });
    await choose(run, large);
    await expectToast({ title: 'Datei zu groß', description: '„gross.jpg“ hat 51,0 MB' });
    expect(shown()).toEqual([]);
  });

  it('refuses an empty file', async () => {
    const run = open(test);
    await choose(run, image('leer.jpg', ''));
    await expectToast({ title: 'Leere Datei', description: '„leer.jpg“ enthält nichts. Bitte wähle sie neu aus.' });
    expect(shown()).toEqual([]);
  });
});

describe('§2.8 test area', () => {
  it('takes ten photos, not eleven', async () => {
    const run = open(test);
    await choose(run, ...many(10));
    expect(shown()).toHaveLength(10);
    await choose(run, image('elf.jpg'));
    await expectToast({ title: 'Zu viele Dateien', description: 'Du kannst maximal 10 Dateien hochladen.' });
    expect(shown()).toHaveLength(10);
  });

  it('hands hasImages and files to thank-you', async () => {
    freezeTime();
    const run = open(test);
    await choose(run, ...many(2));
    await upload(run);
    await expectToast({ title: 'Upload erfolgreich', description: 'Bilder erfolgreich hochgeladen (2)' });
    await pass(1000);
    const files = fake.media.map((row) => ({ path: row['file_path'], type: 'image/jpeg' }));
    expect(run.went).toEqual([{ to: 'thank-you', state: { hasImages: true, files } }]);
  });

  it('Says how many of the files arrived: N von M (§8)', async () => {
    freezeTime();
    fake.fail('POST object', storageRefusal('403', 'AccessDenied'), 1);
    const run = open(test);
    await choose(run, ...many(2));
    await upload(run);
    await expectToast({
      title: 'Upload erfolgreich',
      description: '1 von 2 Datei(en) wurden erfolgreich hochgeladen.',
    });
    await pass(1000);
    expect(run.went).toHaveLength(1);
  });

  it('Says that the upload failed where no file arrived, which stays and can be sent again (§8)', async () => {
    freezeTime();
    fake.fail('POST object', storageRefusal('403', 'AccessDenied'), 1);
    const run = open(test);
    await choose(run, image());
    await upload(run);
    await expectToast({
      title: 'Upload fehlgeschlagen',
      description:
        'Es konnten keine Dateien hochgeladen werden. Bitte versuchen Sie es erneut oder überspringen Sie diesen Schritt.',
    });
    expect(run.went).toEqual([]);
    expect(shown()[0]?.textContent).toContain('a.jpg');
    await upload(run);
    await expectToast({ title: 'Upload erfolgreich', description: 'Bilder erfolgreich hochgeladen (1)' });
    await pass(1000);
    expect(run.went).toHaveLength(1);
    expect(fake.objects.size).toBe(1);
  });

  describe('What had arrived before the upload was stopped counts (§8)', () => {
    async function stop(): Promise<FlowRun> {
      freezeTime();
      const run = open(test);
      fake.fail('POST object', NETWORK, 1, 1);
      await choose(run, ...many(2));
      await upload(run);
      await waitForState(() => expect(fake.called('POST object')).toHaveLength(2));
      await run.user.click(screen.getByRole('button', { name: 'Upload abbrechen' }));
      await pass(1000);
      await waitForState(() => expect(screen.getByText(/Abgebrochen/)).toBeTruthy());
      return run;
    }
    const arrived = () => ({
      to: 'thank-you',
      state: { hasImages: true, files: [{ path: fake.media[0]?.['file_path'], type: 'image/jpeg' }] },
    });

    it('where the others are removed', async () => {
      const run = await stop();
      await run.user.click(screen.getByRole('button', { name: '1.jpg entfernen' }));
      await upload(run);
      await expectToast({ title: 'Upload erfolgreich', description: 'Bilder erfolgreich hochgeladen (1)' });
      await pass(1000);
      expect(run.went).toEqual([arrived()]);
    });

    it('where the others are skipped', async () => {
      const run = await stop();
      await run.user.click(screen.getByRole('button', { name: 'Überspringen' }));
      expect(run.went).toEqual([arrived()]);
    });
  });

  it('skips with {hasImages: false}', async () => {
    const run = open(test);
    await run.user.click(screen.getByRole('button', { name: 'Überspringen' }));
    expect(run.went).toEqual([{ to: 'thank-you', state: { hasImages: false, files: [] } }]);
  });

  it('goes back to the transcript', async () => {
    const run = open(test);
    await run.user.click(screen.getByRole('button', { name: 'Zurück' }));
    expect(run.went).toEqual([{ to: 'transcript-edit', state: { interviewId: '7' } }]);
  });

  it('Without an id sends to the start of the area (§8)', async () => {
    const run = open({ area: 'testnormec' });
    await expectToast({
      title: 'Keine Interview-ID gefunden',
      description: 'Bitte starten Sie den Prozess von vorne.',
    });
    expect(run.went).toEqual([{ to: 'home', replace: true }]);
  });

  it('Says so where the id vanished meanwhile (§8)', async () => {
    sessionStorage.setItem('testnormecCurrentInterviewId', '7');
    const run = open({ area: 'testnormec' });
    await choose(run, image());
    sessionStorage.clear();
    await upload(run);
    await expectToast({
      title: 'Fehler',
      description: 'Keine Interview-ID gefunden. Bitte starten Sie den Prozess erneut.',
    });
  });

  it('Says that the upload failed after something unforeseen (§8)', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => {});
    const run = open(test);
    await choose(run, image());
    vi.spyOn(crypto, 'getRandomValues').mockImplementation(() => {
      throw new RangeError('provoked');
    });
    await upload(run);
    await expectToast({
      title: 'Upload fehlgeschlagen',
      description: 'Es gab ein Problem beim Hochladen der Dateien. Bitte versuche es erneut.',
    });
  });
});
