import { act, cleanup, screen, within } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { AREAS } from '#contract/areas.ts';
import { readKey } from '#web/submission/keys.ts';
import { submissionStore } from '#web/submission/store.ts';
import { releaseAllParts } from '#web/submission/outbox/use-keep-on-device.ts';
import { NETWORK, refusal, storageRefusal } from '#tests/support/web/fake-backend.ts';
import { fakeBackendForEach } from '#tests/support/web/fake-for-each.ts';
import { chooseFiles, logIn, loseFile, stubObjectUrls } from '#tests/support/web/fixtures.ts';
import {
  expectToast,
  type FlowRun,
  freezeTime,
  pass,
  renderFlow,
  waitForRetry,
  waitForState,
} from '#tests/support/web/render-flow.tsx';
import { ContributorUploadScreen } from './index.tsx';

const KEY = 'k'.repeat(43);
const fake = fakeBackendForEach((world) => void world.interviews.set(1234567890, { id: 1234567890 }));
beforeEach(stubObjectUrls);
afterEach(() => {
  releaseAllParts();
  window.history.replaceState(null, '', '/');
});

const render = (openContributions = true) => {
  const config = { ...fake.backend.config, openContributions };
  return renderFlow(<ContributorUploadScreen />, { backend: { ...fake.backend, config } });
};
async function open(fragment = `#i=1234567890&k=${KEY}`, openContributions = true): Promise<FlowRun> {
  window.history.replaceState(null, '', `/upload${fragment}`);
  const run = render(openContributions);
  await waitForState(() => expect(screen.getByRole('heading', { name: 'Upload von Medien' })).toBeTruthy());
  return run;
}
const photo = (name = 'a.jpg') => new File([name], name, { type: 'image/jpeg', lastModified: 1 });
const click = ({ user }: FlowRun, name: string) => user.click(screen.getByRole('button', { name }));
const noBackend = () => {
  for (const call of ['GET interviews', 'GET media_uploads', 'GET bucket']) fake.fail(call, refusal(400, 'XX000'), 99);
};

describe('D9 whose contribution', () => {
  it('takes id and key from the link, out of the address, and shows 8 characters of the id', async () => {
    const run = await open();
    expect(screen.getByText('12345678...')).toBeTruthy();
    expect(window.location.hash).toBe('');
    await chooseFiles(run, photo());
    await click(run, 'Hochladen');
    await expectToast({ title: 'Upload erfolgreich' });
    expect(fake.called('POST object')[0]?.headers.get('x-interview-key')).toBe(KEY);
    expect(fake.called('POST interviews')).toEqual([]);
    expect(fake.media[0]).toMatchObject({ interview_id: 1234567890 });
    expect(run.went).toEqual([{ to: 'thank-you', state: { interviewId: '1234567890', uploadSuccess: true } }]);
  });

  it('shows Lade Informationen... meanwhile', () => {
    window.history.replaceState(null, '', '/upload');
    render();
    expect(screen.getByText('Lade Informationen...')).toBeTruthy();
  });

  it('a link that is no longer good is said at once; without it one can start again', async () => {
    const run = await open(`#i=99&k=${KEY}`);
    expect(screen.getByText('Dieser Link gilt nicht mehr')).toBeTruthy();
    await expectToast({
      title: 'Fehler',
      description: 'Content-ID nicht gefunden. Bitte starten Sie den Prozess neu.',
    });
    await click(run, 'Ohne Link hochladen');
    expect(screen.getByText('Nicht verfügbar')).toBeTruthy();
    expect(readKey('99')).toBeUndefined();
  });

  it('a link of a complete contribution is dead before anything is chosen', async () => {
    fake.interviews.set(7, { id: 7, contact_email: 'ada@beispiel.test' });
    await open(`#i=7&k=${KEY}`);
    expect(screen.getByText('Dieser Link gilt nicht mehr')).toBeTruthy();
    expect(screen.queryByRole('button', { name: 'Hochladen' })).toBeNull();
  });

  it('a refused upload by a link is not offered for later', async () => {
    fake.fail('POST object', storageRefusal('403', 'AccessDenied'), 1);
    const run = await open();
    await chooseFiles(run, photo());
    await click(run, 'Hochladen');
    await expectToast({ title: 'Storage-Hinweis' });
    expect(screen.queryByRole('button', { name: 'Auf diesem Gerät sichern' })).toBeNull();
  });

  it('a second link opened in the same tab takes over', async () => {
    fake.interviews.set(7, { id: 7 });
    await open();
    window.location.hash = `#i=7&k=${KEY}`;
    act(() => void window.dispatchEvent(new HashChangeEvent('hashchange')));
    await waitForState(() => expect(screen.getByText('7...')).toBeTruthy());
  });

  it('without link and login one is made with the first upload', async () => {
    const run = await open('');
    expect(screen.getByText('Nicht verfügbar')).toBeTruthy();
    expect(fake.called('POST interviews')).toEqual([]);
    await chooseFiles(run, photo());
    await click(run, 'Hochladen');
    await expectToast({ title: 'Upload erfolgreich' });
    expect(fake.called('POST interviews')).toHaveLength(1);
    expect(fake.media).toHaveLength(1);
  });

  it('OPEN_CONTRIBUTIONS=false: without a link there is nothing to upload to', async () => {
    await open('', false);
    expect(screen.getByText('Für den Upload brauchst du einen Link')).toBeTruthy();
    expect(screen.queryByRole('button', { name: 'Hochladen' })).toBeNull();
  });

  it('OPEN_CONTRIBUTIONS=false: who is logged in has a contribution of the own', async () => {
    logIn();
    await open('', false);
    expect(screen.getByRole('button', { name: 'Hochladen' })).toBeTruthy();
  });

  it('Says that the contribution could not be loaded (§8)', async () => {
    fake.fail('GET interviews', refusal(500, 'XX000'), 9);
    await open();
    await expectToast({
      title: 'Fehler',
      description: 'Es gab ein Problem beim Laden oder Erstellen der Interview-ID.',
    });
  });
});

it('A member whose login has ended reads that the upload does not count as theirs (§2.10, D4)', async () => {
  localStorage.setItem('data_owner', 'ada');
  await open('');
  expect(screen.getByText(/^Du bist nicht mehr angemeldet/)).toBeTruthy();
  expect(screen.getByText(/zählt nicht zu deinen Beiträgen/)).toBeTruthy();
});

it('What was uploaded after a login had ended gets nothing of what its owner hands in next (§4, 0393)', async () => {
  const run = await open('');
  await chooseFiles(run, photo());
  await click(run, 'Hochladen');
  await expectToast({ title: 'Upload erfolgreich' });
  const store = submissionStore((AREAS[0] ?? expect.fail()).storageKeys);
  expect(store.interviewId()).toBeDefined();
  expect(store.openInterviewId()).toBeUndefined();
});

it('Neither a guest nor somebody who is logged in reads of a login that has ended (D4)', async () => {
  await open('');
  expect(screen.queryByText(/^Du bist nicht mehr angemeldet/)).toBeNull();
  logIn();
  localStorage.setItem('data_owner', 'ada');
  cleanup();
  await open('');
  expect(screen.queryByText(/^Du bist nicht mehr angemeldet/)).toBeNull();
});

describe('§5 messages', () => {
  it('Asks for a file where no files are chosen (§5)', async () => {
    await click(await open(), 'Hochladen');
    await expectToast({
      title: 'Keine Dateien ausgewählt',
      description: 'Bitte wähle mindestens eine Datei zum Hochladen aus.',
    });
  });

  it('unsupported, with what to do about HEIC', async () => {
    await chooseFiles(await open(), new File(['x'], 'IMG.HEIC'), photo());
    await expectToast({
      title: 'Ungültiger Dateityp',
      description: 'Einige Dateien wurden nicht hinzugefügt, da sie nicht unterstützt werden.',
    });
    const [said, ...others] = screen.getAllByText(/„IMG.HEIC“ wird nicht unterstützt\./);
    expect(said?.textContent).toContain('Maximale Kompatibilität');
    expect(others, 'in one message').toEqual([]);
    expect(screen.queryByText('Nicht hinzugefügt')).toBeNull();
    expect(screen.getByText('a.jpg')).toBeTruthy();
    expect(within(screen.getByRole('list', { name: 'Ausgewählte Dateien' })).getAllByRole('listitem')).toHaveLength(1);
  });

  it('Says that eleven files are too many, and adds none (§5)', async () => {
    await chooseFiles(await open(), ...Array.from({ length: 11 }, (_, index) => photo(`${index}.jpg`)));
    await expectToast({ title: 'Zu viele Dateien', description: 'Du kannst maximal 10 Dateien hochladen.' });
    expect(screen.queryByRole('list', { name: 'Ausgewählte Dateien' })).toBeNull();
  });

  it('the same file twice', async () => {
    const run = await open();
    await chooseFiles(run, photo());
    await chooseFiles(run, photo());
    await expectToast({ title: 'Schon ausgewählt' });
  });

  it('one that the device gave no longer takes its own place where it is chosen again (§8)', async () => {
    const run = await open();
    await chooseFiles(run, loseFile(photo()), photo('b.jpg'));
    await click(run, 'Hochladen');
    await waitForState(() => expect(screen.getByText(/Wähle die Datei noch einmal aus/)).toBeTruthy());
    await chooseFiles(run, photo());
    expect(screen.queryByText('Schon ausgewählt')).toBeNull();
    expect(screen.getAllByText('a.jpg')).toHaveLength(1);
    await click(run, 'Hochladen');
    await waitForState(() => expect(run.went).toHaveLength(1));
    expect(fake.media.map((row) => row['original_name'])).toEqual(['b.jpg', 'a.jpg']);
  });
});

describe('§8 how it ends', () => {
  it('partial: says so, stays, and sends only what is missing', async () => {
    fake.fail('POST object', storageRefusal('413', 'EntityTooLarge'), 1, 1);
    const run = await open();
    await chooseFiles(run, photo('a.jpg'), photo('b.jpg'), photo('c.jpg'));
    await click(run, 'Hochladen');
    await expectToast({
      title: 'Upload erfolgreich',
      description: '2 von 3 Datei(en) wurden erfolgreich hochgeladen.',
    });
    expect(screen.getByText(/Zu groß für den Server/)).toBeTruthy();
    expect(run.went).toEqual([]);
    await click(run, 'Erneut versuchen');
    await expectToast({ description: '3 Datei(en) wurden erfolgreich hochgeladen.', title: 'Upload erfolgreich' });
    expect(fake.called('POST object')).toHaveLength(4);
    expect(fake.media).toHaveLength(3);
    expect(run.went).toHaveLength(1);
  });

  it('left after a partial success, only the missing one waits for the next visit', async () => {
    fake.fail('POST object', storageRefusal('413', 'EntityTooLarge'), 1, 1);
    const run = await open();
    await chooseFiles(run, photo('a.jpg'), photo('b.jpg'));
    await click(run, 'Hochladen');
    await expectToast({ title: 'Upload erfolgreich' });
    await click(run, 'Weiter');
    expect(run.went).toEqual([{ to: 'thank-you', state: { interviewId: '1234567890', uploadSuccess: true } }]);
    run.unmount();
    await open('');
    expect(screen.getByText('b.jpg')).toBeTruthy();
    expect(screen.queryByText('a.jpg')).toBeNull();
  });

  it('left in the middle: the file arrives, and the user stays where they are', async () => {
    freezeTime();
    fake.fail('POST object', NETWORK, 1);
    const run = await open();
    await chooseFiles(run, photo());
    await click(run, 'Hochladen');
    await waitForState(() => expect(fake.called('POST object')).toHaveLength(1));
    await waitForRetry();
    run.unmount();
    await pass(1000);
    await waitForState(() => expect(fake.media).toHaveLength(1));
    expect(run.went).toEqual([]);
  });

  it('none', async () => {
    fake.fail('POST object', storageRefusal('413', 'EntityTooLarge'), 1);
    const run = await open();
    await chooseFiles(run, photo());
    await click(run, 'Hochladen');
    await expectToast({
      title: 'Upload fehlgeschlagen',
      description:
        'Es konnten keine Dateien hochgeladen werden. Bitte versuchen Sie es erneut oder überspringen Sie diesen Schritt.',
    });
  });

  it('Storage-Hinweis: refused by row-level security, the files stay, also when the screen is left', async () => {
    fake.fail('POST object', storageRefusal('403', 'AccessDenied'), 1);
    const run = await open();
    await chooseFiles(run, photo());
    await click(run, 'Hochladen');
    await expectToast({ title: 'Storage-Hinweis', description: 'lokal' });
    run.unmount();
    await open('');
    expect(screen.getByText('a.jpg')).toBeTruthy();
  });

  it('Storage-Fehler: the bucket could not be made', async () => {
    const gone = storageRefusal('404', 'NoSuchBucket');
    fake.fail('POST object', gone);
    fake.fail('GET bucket', gone, 9);
    fake.fail('POST bucket', storageRefusal('403', 'AccessDenied'));
    const run = await open();
    await chooseFiles(run, photo());
    await click(run, 'Hochladen');
    await expectToast({ title: 'Storage-Fehler', description: 'lokal' });
  });

  it('something unforeseen', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => {});
    const run = await open();
    await chooseFiles(run, photo());
    vi.spyOn(crypto, 'getRandomValues').mockImplementation(() => {
      throw new RangeError('provoked');
    });
    await click(run, 'Hochladen');
    await expectToast({
      title: 'Upload fehlgeschlagen',
      description: 'Es gab ein Problem beim Hochladen der Dateien. Bitte versuche es erneut.',
    });
  });

  it('Skips; while an upload runs, skipping is disabled and says so (§2.10)', async () => {
    freezeTime();
    const run = await open();
    await click(run, 'Überspringen');
    expect(run.went).toEqual([{ to: 'thank-you', state: { interviewId: '1234567890', uploadSuccess: false } }]);
    fake.fail('POST object', NETWORK, 1);
    await chooseFiles(run, photo());
    await click(run, 'Hochladen');
    await waitForState(() => expect(fake.called('POST object')).toHaveLength(1));
    expect(screen.getByRole('button', { name: 'Upload läuft...' }).hasAttribute('disabled')).toBe(true);
    expect(screen.getByRole('progressbar', { name: 'Upload-Fortschritt' })).toBeTruthy();
  });
});

describe('§4 local mode', () => {
  it('Checks, then says that it works locally (§2.10)', async () => {
    noBackend();
    window.history.replaceState(null, '', '/upload');
    render();
    await waitForState(() => expect(screen.getByText('Lokaler Modus')).toBeTruthy());
  });

  it('Says that it works in a limited way where the storage fails (§2.10)', async () => {
    fake.fail('GET bucket', refusal(500, 'X'), 9);
    await open();
    await waitForState(() => expect(screen.getByText('Eingeschränkter Modus')).toBeTruthy());
  });

  it('a local id: Hinweis, 500 ms later lokal and temporär, then thank-you with the names', async () => {
    freezeTime();
    noBackend();
    const run = await open('');
    await chooseFiles(run, photo());
    await click(run, 'Hochladen');
    await expectToast({ title: 'Hinweis', description: 'Es wird eine lokale Interview-ID verwendet' });
    await pass(200);
    expect(Number(screen.getByRole('progressbar').getAttribute('value'))).toBeGreaterThanOrEqual(0);
    await pass(300);
    await expectToast({ title: 'Dateien lokal gespeichert', description: 'temporär' });
    expect(run.went).toMatchObject([
      { to: 'thank-you', state: { uploadSuccess: false, files: [{ path: 'a.jpg', type: 'image/jpeg' }] } },
    ]);
    expect(fake.called('POST object')).toEqual([]);
  });

  it('a real id without a connection: the files stay here and go by themselves when it is back', async () => {
    freezeTime();
    noBackend();
    const run = await open();
    await waitForState(() => expect(screen.getByText('Lokaler Modus')).toBeTruthy());
    await chooseFiles(run, photo());
    await click(run, 'Hochladen');
    await pass(500);
    await expectToast({ title: 'Dateien lokal gespeichert', description: 'temporär' });
    expect(run.went).toEqual([]);
    for (const call of ['GET interviews', 'GET media_uploads', 'GET bucket']) fake.fail(call, NETWORK, 0);
    await pass(5000);
    await waitForState(() => expect(screen.queryByText('Lokaler Modus')).toBeNull());
    await pass(0);
    await expectToast({ title: 'Upload erfolgreich' });
    expect(fake.media).toHaveLength(1);
  });
});
