import '#tests/support/indexed-db.ts';
import { screen } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { AREAS, type AreaId } from '#contract/areas.ts';
import { submissionStore } from '#web/submission/store.ts';
import { keepKey, keepLinkedKey } from '#web/submission/keys.ts';
import { DEVICE_OWNER } from '#web/submission/outbox/entry.ts';
import { holdParts, releaseAllParts } from '#web/submission/outbox/use-keep-on-device.ts';
import { getUnfinished } from '#web/submission/use-running-work.ts';
import { refusal } from '#tests/support/web/fake-backend.ts';
import { fakeBackendForEach } from '#tests/support/web/fake-for-each.ts';
import { emptyOutbox, logIn } from '#tests/support/web/fixtures.ts';
import { type FlowPlace, renderFlow, waitForState } from '#tests/support/web/render-flow.tsx';
import { ThankYouScreen } from './index.tsx';

const fake = fakeBackendForEach((world) => void world.interviews.set(7, { id: 7 }));

const open = (place: Omit<FlowPlace, 'backend'> = {}) =>
  renderFlow(<ThankYouScreen />, { ...place, backend: fake.backend });
const { storageKeys } = AREAS.find(({ id }) => id === 'generic') ?? expect.fail('no generic area');
const state = { interviewId: '7' };
const picture = { blob: new File(['bild'], 'foto.png', { type: 'image/png' }), name: 'foto.png', path: '7/1_foto.png' };
afterEach(async () => {
  releaseAllParts();
  await emptyOutbox(DEVICE_OWNER);
});
const text = () => document.body.textContent;
const store = (path: string, type: string, content: string | Buffer<ArrayBuffer> = '') => {
  fake.media.push({ interview_id: 7, file_path: path, file_type: type });
  fake.objects.set(path, content);
};

describe('§2.11 what is shown', () => {
  it('heading, content id, and that nothing was uploaded', async () => {
    open({ state });
    expect(screen.getByRole('heading', { name: 'Vielen Dank für deinen Beitrag!' })).toBeTruthy();
    expect(text()).toContain('Content-ID: 7');
    await waitForState(() => expect(text()).toContain('Noch keine Dateien hochgeladen'));
  });

  it('file names and the transcript from its text file', async () => {
    store('7/1_a.png', 'image/png');
    store('7/transcript_1.txt', 'text/plain', 'Alt');
    store('7/transcript_2.txt', 'text/plain', 'Neu und schön');
    open({ state });
    await waitForState(() =>
      expect(screen.getByRole('region', { name: 'Transkript' }).textContent).toBe('Neu und schön'),
    );
    expect(screen.getAllByRole('listitem').map((item) => item.textContent)).toEqual([
      '1_a.pngBild',
      'Transkript.txtTranskript',
      'Transkript.txtTranskript',
    ]);
    expect(fake.called('GET object')).toHaveLength(1);
  });

  it('a text document of a program on Windows with its umlauts, and as a document', async () => {
    store('7/1_a.txt', 'text/plain', Buffer.from('Prüfstand für Öl', 'latin1'));
    open({ area: 'firma-a', state });
    await waitForState(() =>
      expect(screen.getByRole('region', { name: 'Transkript' }).textContent).toBe('Prüfstand für Öl'),
    );
    expect(text()).toContain('Content-TypDokument');
  });

  it('a video that was described in an interview as a video, as the desk and the receipt call it', async () => {
    store('7/1_a.mp4', 'video/mp4');
    fake.interviews.set(7, { id: 7, transcript: 'Interviewer: Was ist zu sehen?\n\nDu: Die Halle.' });
    open({ area: 'firma-a', state, way: 'video' });
    await waitForState(() => screen.getByText('1_a.mp4'));
    expect(text()).toContain('Content-TypVideoDateien1');
  });

  it('the name that was registered with a file, for who did not choose it in this tab', async () => {
    fake.media.push({ interview_id: 7, file_path: '7/1_a.png', file_type: 'image/png', original_name: 'Halle 3.png' });
    open({ state });
    await waitForState(() => expect(screen.getByRole('listitem').textContent).toBe('Halle 3.pngBild'));
  });

  it('the files without names where the database knows none', async () => {
    store('7/1_a.png', 'image/png');
    fake.fail('GET media_uploads', refusal(400, '42703'));
    open({ state });
    await waitForState(() => expect(screen.getByRole('listitem').textContent).toBe('1_a.pngBild'));
    expect(fake.called('GET media_uploads').map(({ search }) => search.get('select'))).toEqual([
      'file_path,file_type,original_name',
      'file_path,file_type',
    ]);
  });

  it('the transcript from the row where the file cannot be read', async () => {
    vi.spyOn(console, 'warn').mockImplementation(() => {});
    fake.interviews.set(7, { id: 7, transcript: 'Aus der Zeile' });
    fake.media.push({ interview_id: 7, file_path: '7/transcript_1.txt', file_type: 'text/plain' });
    open({ state });
    await waitForState(() => expect(text()).toContain('Aus der Zeile'));
  });

  it('the stored transcript where the database has none, as a file too', async () => {
    submissionStore(storageKeys).keepTranscript('Aus dem Browser', '7');
    URL.createObjectURL = vi.fn(() => 'blob:x');
    const click = vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(() => {});
    const { user } = open({ state });
    await waitForState(() => expect(text()).toContain('Aus dem Browser'));
    await user.click(screen.getByRole('button', { name: 'Herunterladen' }));
    expect(click.mock.instances[0]).toHaveProperty('download', 'transkript.txt');
  });

  it.each([
    ['begun in another tab', { 'interviewTranscript:contribution': '6' }],
    ['kept by an earlier version', {}],
  ])('nothing of a transcript that is not known to be of this one: %s (decision 0371)', async (_name, owner) => {
    const keys = { interviewTranscript: 'Fremd', ...owner };
    for (const [key, value] of Object.entries(keys)) localStorage.setItem(key, value);
    open({ state });
    await waitForState(() => expect(text()).toContain('Noch keine Dateien hochgeladen'));
    expect(text()).not.toContain('Fremd');
    expect(screen.queryByRole('region', { name: 'Transkript' })).toBeNull();
  });

  it('says when the files cannot be loaded, and tries again', async () => {
    fake.fail('GET media_uploads', refusal(400, 'XX000'), 1);
    const { user } = open({ state });
    await waitForState(() => expect(text()).toContain('Die Dateien konnten gerade nicht geladen werden.'));
    await user.click(screen.getByRole('button', { name: 'Erneut versuchen' }));
    await waitForState(() => expect(text()).toContain('Noch keine Dateien hochgeladen'));
  });

  it.each<[AreaId, string]>([
    ['generic', 'Zur Upload-Seite'],
    ['testnormec', 'Zur Sprachnachricht'],
  ])('%s: a hint instead of the form where there is no id', (area, link) => {
    open({ area });
    expect(screen.getByRole('link', { name: link })).toBeTruthy();
    expect(text()).toContain('Content-ID: Nicht verfügbar');
    expect(screen.queryByText('Kontaktdaten für Review und Nutzung')).toBeNull();
    expect(screen.queryByRole('button', { name: 'Content übermitteln' })).toBeNull();
  });

  it('a local contribution is said to be local, with the files of this visit', async () => {
    holdParts('local_voice_1_a', [{ kind: 'file', ...picture }]);
    open({ state: { interviewId: 'local_voice_1_a', files: [{ path: 'a.jpg', type: 'image/jpeg' }] } });
    expect(text()).toContain('noch nicht bei uns angekommen');
    expect(screen.getByRole('listitem').textContent).toContain('a.jpg');
    expect(fake.called('GET media_uploads')).toEqual([]);
  });

  it('after a reload the files that were not sent are said to be gone (decision 0357)', async () => {
    const files = [{ path: 'a.jpg', type: 'image/jpeg' }];
    const { user, went } = open({ state: { interviewId: 'local_image_interview_1_a', files } });
    expect(text()).toContain('Deine Dateien sind nicht mehr da');
    expect(screen.queryByRole('listitem')).toBeNull();
    await user.click(screen.getByRole('button', { name: 'Dateien noch einmal hinzufügen' }));
    expect(went).toEqual([{ to: 'upload', state: { interviewId: 'local_image_interview_1_a' } }]);
  });

  it('coming back to a contribution that is handed in asks for nothing (decision 0357)', async () => {
    open({ state: { ...state, sent: true } });
    expect(text()).toContain('Wir prüfen deine Beiträge');
    expect(screen.queryByRole('button', { name: 'Content übermitteln' })).toBeNull();
    await waitForState(() => expect(fake.called('GET media_uploads')).toHaveLength(1));
    expect(text()).not.toContain('Noch keine Dateien hochgeladen');
  });
});

describe('§2.11 company and test variants', () => {
  it('summary and what happens next', async () => {
    store('7/1_a.png', 'image/png');
    store('7/2_a.png', 'image/png');
    fake.interviews.set(7, { id: 7, transcript: 'Interviewer: Hallo' });
    open({ area: 'firma-a', state });
    await waitForState(() =>
      expect(screen.getAllByRole('definition').map((item) => item.textContent)).toEqual([
        'Interview',
        'vorhanden',
        '2',
      ]),
    );
    expect(text()).toContain('Wie geht es weiter?');
  });

  it('a voice message without transcript and images', async () => {
    open({ area: 'testnormec', state });
    await waitForState(() =>
      expect(screen.getAllByRole('definition').map((item) => item.textContent)).toEqual([
        'Sprachnachricht',
        'nicht vorhanden',
        'keine',
      ]),
    );
  });

  it.each<[AreaId]>([['generic'], ['firma-a']])(
    '%s: says until when the contribution is kept, where a period is set',
    (area) => {
      const backend = { ...fake.backend, config: { ...fake.backend.config, retentionDays: 30 } };
      renderFlow(<ThankYouScreen />, { area, state, backend });
      expect(screen.getAllByText(/^Wir bewahren deinen Beitrag bis zum \d/)).toHaveLength(1);
    },
  );

  it('the plain one has neither', () => {
    open({ state });
    expect(text()).not.toContain('Zusammenfassung');
    expect(text()).not.toContain('Wie geht es weiter?');
  });

  it('the test area removes the stored transcript on entering, and still shows it', () => {
    sessionStorage.setItem('testnormecTranscriptInterviewId', '7');
    sessionStorage.setItem('testnormecLatestTranscript', 'Hallo');
    localStorage.setItem('testnormecInterviewTranscript', 'Hallo');
    open({ area: 'testnormec', state });
    expect(sessionStorage.getItem('testnormecLatestTranscript')).toBeNull();
    expect(localStorage.getItem('testnormecInterviewTranscript')).toBeNull();
    expect(screen.getByRole('region', { name: 'Transkript' }).textContent).toBe('Hallo');
  });

  it('the test area leaves the transcript of another contribution (decision 0371)', () => {
    localStorage.setItem('testnormecInterviewTranscript', 'Fremd');
    localStorage.setItem('testnormecInterviewTranscript:contribution', '6');
    open({ area: 'testnormec', state });
    expect(localStorage.getItem('testnormecInterviewTranscript')).toBe('Fremd');
    expect(text()).not.toContain('Fremd');
  });

  it('the test area: Zur Startseite', async () => {
    const { user, went } = open({ area: 'testnormec', state });
    await user.click(screen.getByRole('button', { name: 'Zur Startseite' }));
    await user.click(screen.getByRole('button', { name: 'Trotzdem gehen' }));
    expect(went).toEqual([{ to: 'home' }]);
  });

  it('the test area: Neuen Content erstellen clears ids and transcript', async () => {
    sessionStorage.setItem('testnormecCurrentInterviewId', '7');
    sessionStorage.setItem('testnormecTranscriptInterviewId', '7');
    const { user, went } = open({ area: 'testnormec' });
    await user.click(screen.getByRole('button', { name: 'Neuen Content erstellen' }));
    await user.click(screen.getByRole('button', { name: 'Trotzdem gehen' }));
    expect(went).toEqual([{ to: 'content-selection' }]);
    expect(sessionStorage.getItem('testnormecCurrentInterviewId')).toBeNull();
    expect(sessionStorage.getItem('testnormecTranscriptInterviewId')).toBeNull();
  });
});

describe('The contact step', () => {
  it('is named as missing until it is done, and leaving without it asks first', async () => {
    logIn();
    const { user, went } = open({ state });
    expect(text()).toContain('Ein Schritt fehlt noch');
    expect(text()).not.toContain('Wir prüfen deine Beiträge');
    const leaving = new Event('beforeunload', { cancelable: true });
    window.dispatchEvent(leaving);
    expect(leaving.defaultPrevented).toBe(true);
    await waitForState(() => expect(screen.getByRole('button', { name: 'Zur Startseite' })).toBeTruthy());
    await user.click(screen.getByRole('button', { name: 'Zur Startseite' }));
    await user.click(screen.getByRole('button', { name: 'Kontaktdaten angeben' }));
    expect(went).toEqual([]);
  });

  it('is the owner’s: a guest with a link gets an end of the own', async () => {
    keepLinkedKey('7', 'the-key');
    fake.interviews.set(7, { id: 7, transcript: 'Vom Eigentümer' });
    const { user, went } = open({ state: { ...state, uploadSuccess: true } });
    expect(text()).toContain('Deine Dateien gehören jetzt zu diesem Beitrag.');
    expect(screen.queryByRole('button', { name: 'Content übermitteln' })).toBeNull();
    await waitForState(() => expect(screen.getByRole('button', { name: 'Weitere Dateien hochladen' })).toBeTruthy());
    expect(text()).not.toContain('Vom Eigentümer');
    await user.click(screen.getByRole('button', { name: 'Weitere Dateien hochladen' }));
    expect(went).toEqual([{ to: 'upload', state: { interviewId: '7' } }]);
  });
});

describe('What a guest with a link is told (decision 0257)', () => {
  beforeEach(() => {
    keepLinkedKey('7', 'the-key');
  });

  it('that files are missing, and leaving asks about them, not for contact details', async () => {
    holdParts('7', [{ kind: 'file', ...picture }]);
    open({ state: { ...state, uploadSuccess: true } });
    expect(text()).toContain('Noch sind nicht alle deine Dateien angekommen.');
    expect(screen.getByRole('button', { name: 'Auf diesem Gerät sichern' })).toBeTruthy();
    const leaving = new Event('beforeunload', { cancelable: true });
    window.dispatchEvent(leaving);
    expect(leaving.defaultPrevented).toBe(true);
    expect(getUnfinished()).toBe('files');
  });

  it('that kept files are sent later, and once they are there that they are', async () => {
    holdParts('7', [{ kind: 'file', ...picture }]);
    const { user } = open({ state: { ...state, uploadSuccess: false } });
    await user.click(screen.getByRole('button', { name: 'Auf diesem Gerät sichern' }));
    await waitForState(() => expect(text()).toContain('Noch ist nicht alles bei uns angekommen.'));
    store('7/1_foto.png', 'image/png');
    await emptyOutbox(DEVICE_OWNER);
    await waitForState(() => expect(text()).toContain('Deine Dateien gehören jetzt zu diesem Beitrag.'));
  });
});

describe('D9 handing a contribution on', () => {
  const link = () => screen.queryByRole('textbox', { name: 'Link' });
  beforeEach(() => {
    keepKey('7', 'the-key');
  });

  it('shows link and QR code to who is logged in', async () => {
    logIn();
    const { user } = open({ state });
    await waitForState(() => expect(link()).toHaveProperty('value', `${location.origin}/upload#i=7&k=the-key`));
    await user.click(screen.getByRole('button', { name: 'QR-Code zeigen' }));
    expect(screen.getByRole('img', { name: /QR-Code/ })).toBeTruthy();
  });

  it('copies the link', async () => {
    logIn();
    const { user } = open({ state });
    await waitForState(() => expect(link()).not.toBeNull());
    await user.click(screen.getByRole('button', { name: 'Link kopieren' }));
    await waitForState(() => expect(screen.getByRole('button', { name: 'Kopiert' })).toBeTruthy());
    expect(await navigator.clipboard.readText()).toContain('/upload#i=7');
  });

  it('says when the browser does not copy', async () => {
    logIn();
    const { user } = open({ state });
    await waitForState(() => expect(link()).not.toBeNull());
    vi.spyOn(navigator.clipboard, 'writeText').mockRejectedValue(new DOMException('no', 'NotAllowedError'));
    await user.click(screen.getByRole('button', { name: 'Link kopieren' }));
    await waitForState(() => expect(screen.getByRole('alert').textContent).toContain('Nicht kopiert'));
  });

  it('does not show it to contributors', async () => {
    open({ state });
    await waitForState(() => expect(text()).toContain('Noch keine Dateien hochgeladen'));
    expect(link()).toBeNull();
  });

  it('does not show a link for which this browser has no key', async () => {
    logIn();
    open({ state: { interviewId: '8' } });
    await waitForState(() => expect(screen.getByRole('button', { name: 'Zur Startseite' })).toBeTruthy());
    expect(link()).toBeNull();
  });
});
