import { fireEvent, screen, waitFor } from '@testing-library/react';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { DEVICE_OWNER } from '#web/submission/outbox/entry.ts';
import { NETWORK, refusal, storageRefusal } from '#tests/support/web/fake-backend.ts';
import { fakeBackendForEach } from '#tests/support/web/fake-for-each.ts';
import { chooseFiles, emptyOutbox, keptBy, sized } from '#tests/support/web/fixtures.ts';
import {
  expectToast,
  type FlowRun,
  freezeTime,
  pass,
  renderFlow,
  waitForRetry,
  waitForState,
} from '#tests/support/web/render-flow.tsx';
import { DocumentUploadScreen } from './index.tsx';
import '#tests/support/indexed-db.ts';

const fake = fakeBackendForEach();
afterEach(async () => {
  await emptyOutbox(DEVICE_OWNER);
});

const open = () => renderFlow(<DocumentUploadScreen />, { backend: fake.backend });
const report = (name = 'Bericht.pdf', type = 'application/pdf') => new File(['inhalt'], name, { type });
const upload = ({ user }: FlowRun) => user.click(screen.getByRole('button', { name: 'Hochladen' }));

describe('§5 document upload', () => {
  it.each([
    ['a.pdf', 'application/pdf'],
    ['a.doc', 'application/msword'],
    ['a.docx', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
    ['a.txt', 'text/plain'],
    ['a.DOCX', ''],
  ])('takes %s (%s)', async (name, type) => {
    await chooseFiles(open(), report(name, type));
    expect(screen.getByText(name)).toBeTruthy();
  });

  it.each([
    ['a.png', 'image/png'],
    ['a.pdf', 'image/png'],
    ['a.odt', ''],
  ])('refuses %s (%s)', async (name, type) => {
    await chooseFiles(open(), report(name, type));
    await expectToast({
      title: 'Ungültiger Dateityp',
      description: 'Bitte lade ein PDF, DOC, DOCX oder TXT Dokument hoch.',
    });
    expect(screen.queryByRole('listitem', { name })).toBeNull();
  });

  it('hands the focus on when the file is removed (WCAG 2.4.3)', async () => {
    const run = open();
    const said = screen.getAllByRole('status');
    await chooseFiles(run, report());
    expect(said.map(({ textContent }) => textContent)).toContain('1 Datei ausgewählt');
    screen.getByRole('button', { name: 'Bericht.pdf entfernen' }).focus();
    await run.user.keyboard('{Enter}');
    expect(screen.queryByRole('button', { name: /entfernen/ })).toBeNull();
    const choose = screen.getByRole('button', { name: /auswählen|hinzufügen/ });
    await waitFor(() => expect(document.activeElement).toBe(choose));
  });

  it('no file', async () => {
    await upload(open());
    await expectToast({
      title: 'Keine Datei ausgewählt',
      description: 'Bitte wähle eine Datei zum Hochladen aus.',
    });
  });

  it('one only', async () => {
    await chooseFiles(open(), report('a.pdf'), report('b.pdf'));
    await expectToast({ title: 'Zu viele Dateien', description: 'Hier ist nur ein Dokument möglich.' });
  });

  it('Refuses a document that is too large and an empty one (D19)', async () => {
    const run = open();
    await chooseFiles(run, sized(report(), 50 * 1024 * 1024 + 1));
    await expectToast({ title: 'Datei zu groß', description: 'Ein Dokument darf höchstens 50 MB groß sein.' });
    await chooseFiles(run, new File([], 'leer.pdf', { type: 'application/pdf' }));
    await expectToast({ title: 'Leere Datei' });
  });

  it('Shows MB with 2 decimals; pasted and dropped files count (§2.9)', () => {
    open();
    fireEvent.paste(document, { clipboardData: { files: [sized(report('a.pdf'), 1.5 * 1024 * 1024)] } });
    expect(screen.getByText(/1,50 MB/)).toBeTruthy();
    fireEvent.drop(screen.getByRole('button', { name: /Anderes Dokument/ }), {
      dataTransfer: { files: [sized(report('b.pdf'), 2.25 * 1024 * 1024)] },
    });
    expect(screen.getByText(/2,25 MB/)).toBeTruthy();
    expect(screen.queryByText('a.pdf')).toBeNull();
  });
});

describe('§2.9 sending a document', () => {
  it('row, object and metadata once, then thank-you', async () => {
    const run = open();
    await chooseFiles(run, report('Bericht', ''));
    await chooseFiles(run, report('Bericht 😀.docx', 'application/wps-office.docx'));
    await upload(run);
    await waitForState(() => expect(run.went).toHaveLength(1));
    expect(run.went).toEqual([{ to: 'thank-you', state: { interviewId: '4711', uploadSuccess: true } }]);
    expect(fake.media).toEqual([
      {
        interview_id: 4711,
        file_path: expect.stringMatching(/^4711\/\d+_[0-9a-f]{32}\.docx$/),
        file_type: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
        original_name: 'Bericht 😀.docx',
      },
    ]);
  });

  it.each([
    [
      storageRefusal('413', 'EntityTooLarge'),
      'Upload fehlgeschlagen',
      'Zu groß für den Server. Sag dem Team Bescheid.',
    ],
    [storageRefusal('403', 'AccessDenied'), 'Storage-Hinweis', 'Nicht erlaubt'],
  ] as const)('%# a refusal is named and can be tried again', async (failure, title, reason) => {
    fake.fail('POST object', failure);
    const run = open();
    await chooseFiles(run, report());
    await upload(run);
    await expectToast({ title });
    expect(screen.getByText(new RegExp(reason))).toBeTruthy();
    await upload(run);
    await waitForState(() => expect(run.went).toHaveLength(1));
    expect(fake.media).toHaveLength(1);
    expect(fake.called('POST interviews')).toHaveLength(1);
  });

  it('can be stopped; nothing is said about it', async () => {
    freezeTime();
    fake.fail('POST object', NETWORK, 1);
    const run = open();
    await chooseFiles(run, report());
    await upload(run);
    await waitForState(() => expect(fake.called('POST object')).toHaveLength(1));
    await run.user.click(screen.getByRole('button', { name: 'Upload abbrechen' }));
    await pass(1000);
    await waitForState(() => expect(screen.getByText(/Abgebrochen/)).toBeTruthy());
    expect(document.querySelector('li[data-variant]')).toBeNull();
    expect(run.went).toEqual([]);
  });

  it('Uses a local id and says so where no row can be made (§4)', async () => {
    freezeTime();
    fake.fail('POST interviews', refusal(500, 'XX000'));
    const run = open();
    await chooseFiles(run, report());
    await upload(run);
    await expectToast({ title: 'Hinweis', description: 'Es wird eine lokale Interview-ID verwendet' });
    await pass(500);
    await expectToast({ title: 'Lokal gespeichert', description: 'temporär' });
    expect(run.went).toMatchObject([
      { to: 'thank-you', state: { uploadSuccess: false, files: [{ path: 'Bericht.pdf', type: 'application/pdf' }] } },
    ]);
  });

  it('Has a row of its own though the last one has not arrived, and keeps it for the next try (§4)', async () => {
    fake.fail('POST object', storageRefusal('403', 'AccessDenied'), 2);
    for (const name of ['a.pdf', 'b.pdf', 'b.pdf']) {
      const run = open();
      if (screen.queryByText(name) === null) await chooseFiles(run, report(name));
      await upload(run);
      await waitForState(() => expect(run.went.length + screen.queryAllByText(/Nicht erlaubt/).length).toBe(1));
      run.unmount();
    }
    expect(fake.interviews.size).toBe(2);
    expect(fake.media).toMatchObject([{ interview_id: 4712, original_name: 'b.pdf' }]);
  });

  it('A contribution that goes on neither shows nor sends a document begun for another (0275)', async () => {
    fake.fail('POST object', storageRefusal('403', 'AccessDenied'));
    const first = open();
    await chooseFiles(first, report());
    await upload(first);
    await waitForState(() => expect(screen.getByText(/Nicht erlaubt/)).toBeTruthy());
    first.unmount();
    const [begun] = fake.interviews.keys();
    fake.interviews.set(77, { id: 77 });
    const goOn = (id: number) =>
      renderFlow(<DocumentUploadScreen />, { backend: fake.backend, state: { interviewId: String(id) } });
    const other = goOn(77);
    expect(screen.queryByText('Bericht.pdf')).toBeNull();
    await chooseFiles(other, report('b.pdf'));
    await upload(other);
    await waitForState(() => expect(fake.media).toMatchObject([{ interview_id: 77, original_name: 'b.pdf' }]));
    other.unmount();
    const own = goOn(Number(begun));
    expect(screen.getByText('Bericht.pdf')).toBeTruthy();
    await upload(own);
    await waitForState(() => expect(fake.media).toHaveLength(2));
    expect(fake.media[1]).toMatchObject({ interview_id: begun, original_name: 'Bericht.pdf' });
  });

  it('back leads to the start of the area', async () => {
    const run = open();
    await run.user.click(screen.getByRole('button', { name: 'Zurück' }));
    expect(run.went).toEqual([{ to: 'home' }]);
  });
});

describe('§4 Ausgangskorb', () => {
  it('offered without a connection and after a failure; then the document waits there', async () => {
    freezeTime();
    fake.fail('POST object', NETWORK, 3);
    const run = open();
    await chooseFiles(run, report());
    expect(screen.queryByRole('button', { name: 'Auf diesem Gerät sichern' })).toBeNull();
    await upload(run);
    for (const attempts of [1, 2]) {
      await waitForState(() => expect(fake.called('POST object')).toHaveLength(attempts));
      await waitForRetry();
      for (const call of ['GET interviews', 'GET media_uploads', 'GET bucket']) fake.fail(call, NETWORK, 99);
      await pass(1000);
    }
    await waitForState(() => expect(screen.getByRole('button', { name: 'Auf diesem Gerät sichern' })).toBeTruthy());
    await run.user.click(screen.getByRole('button', { name: 'Auf diesem Gerät sichern' }));
    await expectToast({ title: 'Dokument gesichert' });
    expect(await keptBy(DEVICE_OWNER)).toEqual([{ contentId: '4711', parts: ['Bericht.pdf'] }]);
    expect(run.went).toMatchObject([{ to: 'thank-you', state: { interviewId: '4711', uploadSuccess: false } }]);
  });

  it('One left while its row is made, and sent once more when entered again, is there once (§4)', async () => {
    const row = Promise.withResolvers<void>();
    const object = Promise.withResolvers<void>();
    fake.fail('POST interviews', row.promise);
    fake.fail('POST object', object.promise);
    const run = open();
    await chooseFiles(run, report());
    await upload(run);
    await waitForState(() => expect(fake.called('POST interviews')).toHaveLength(1));
    run.unmount();
    const again = open();
    expect(screen.getByText('Bericht.pdf')).toBeTruthy();
    row.resolve();
    await waitForState(() => expect(fake.called('POST object')).toHaveLength(1));
    await upload(again);
    object.resolve();
    await waitForState(() => expect(again.went).toMatchObject([{ to: 'thank-you' }]));
    await waitForState(() => expect(fake.called('POST object')).toHaveLength(2));
    expect([fake.interviews.size, fake.objects.size]).toEqual([1, 1]);
  });

  it('What could not be sent after the screen was left goes there unasked (decision 0357)', async () => {
    freezeTime();
    fake.fail('POST object', NETWORK, 9);
    const run = open();
    await chooseFiles(run, report());
    await upload(run);
    await waitForState(() => expect(fake.called('POST object')).toHaveLength(1));
    run.unmount();
    await vi.waitFor(async () => {
      await pass(1_000);
      expect(await keptBy(DEVICE_OWNER)).toEqual([{ contentId: '4711', parts: ['Bericht.pdf'] }]);
    });
    expect(run.went).toEqual([]);
  });

  it('What got no row after the screen was left goes there unasked, too (decision 0357)', async () => {
    const answer = Promise.withResolvers<void>();
    fake.fail('GET bucket', answer.promise);
    fake.fail('POST interviews', refusal(500, 'XX000'));
    const run = open();
    await chooseFiles(run, report());
    await upload(run);
    await waitForState(() => expect(fake.called('GET bucket')).toHaveLength(2));
    run.leave();
    answer.resolve();
    await expectToast({ title: 'Dokument gesichert' });
    expect(await keptBy(DEVICE_OWNER)).toMatchObject([{ parts: ['Bericht.pdf'] }]);
  });
});
