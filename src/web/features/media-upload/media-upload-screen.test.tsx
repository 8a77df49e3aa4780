import { act, screen, waitFor } from '@testing-library/react';
import { useEffect, useRef } from 'react';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { CONTRIBUTION_LIMITS } from '#contract/limits.ts';
import { clearUserData } from '#web/backend/browser-storage.ts';
import { NETWORK, refusal, storageRefusal } from '#tests/support/web/fake-backend.ts';
import { fakeBackendForEach } from '#tests/support/web/fake-for-each.ts';
import { chooseFiles, sized, stubObjectUrls } from '#tests/support/web/fixtures.ts';
import {
  expectToast,
  type FlowRun,
  freezeTime,
  pass,
  renderFlow,
  waitForState,
} from '#tests/support/web/render-flow.tsx';
import { forgetUnsentFiles } from '#web/submission/use-chosen-files.ts';
import type { DescriptionInterview } from './describe-stage.tsx';
import { ImageUploadScreen, VideoUploadScreen } from './index.tsx';
import '#tests/support/indexed-db.ts';

const fake = fakeBackendForEach();
beforeEach(stubObjectUrls);

const photo = () => new File(['bild'], 'Halle 3.JPG', { type: 'image/jpeg' });
const clip = () => new File(['film'], 'film.mov', { type: '' });
const openImage = (state = {}) => renderFlow(<ImageUploadScreen />, { backend: fake.backend, state });
const openVideo = () => renderFlow(<VideoUploadScreen />, { backend: fake.backend });
const click = ({ user }: FlowRun, name: string | RegExp) => user.click(screen.getByRole('button', { name }));
const heading = () => screen.getByRole('heading', { level: 1 }).textContent;
const QUESTIONS = ['Wer?', 'Was?', 'Wann?', 'Wo?', 'Warum?'];

async function toQuestions(run: FlowRun, file: File): Promise<void> {
  await chooseFiles(run, file);
  await click(run, 'Weiter');
  await click(run, /Textformular/);
}
async function answer({ user }: FlowRun, words = 'ja', questions = QUESTIONS): Promise<void> {
  for (const question of questions) {
    await user.clear(screen.getByLabelText(question));
    if (words !== '') await user.type(screen.getByLabelText(question), words);
  }
}

describe('§2.9 choosing the file', () => {
  it.each([
    [openVideo, photo(), 'Das ist kein Video.'],
    [openImage, clip(), 'Das ist kein Bild.'],
  ])('Refuses another type and says so, case %# (§5)', async (open, file, words) => {
    const run = open();
    await chooseFiles(run, file);
    await waitForState(() => expect(screen.getByText(new RegExp(words))).toBeTruthy());
    expect(screen.getByRole('button', { name: 'Weiter' }).hasAttribute('disabled')).toBe(true);
  });

  it('takes a video whose type the browser does not know', async () => {
    const run = openVideo();
    await chooseFiles(run, clip());
    expect(screen.getByText('film.mov')).toBeTruthy();
  });

  it.each([
    [openVideo, clip, 'Hier ist nur ein Video möglich.'],
    [openImage, photo, 'Hier ist nur ein Bild möglich.'],
  ])('takes one file only, and says so instead of leaving the others out, case %#', async (open, make, description) => {
    const run = open();
    await chooseFiles(run, make(), make());
    await expectToast({ title: 'Zu viele Dateien', description });
    expect(screen.getByRole('button', { name: 'Weiter' }).hasAttribute('disabled')).toBe(true);
  });

  it('says what to do with HEIC', async () => {
    await chooseFiles(openImage(), new File(['x'], 'IMG_1.HEIC', { type: 'image/heic' }));
    await expectToast({ title: 'Ungültiger Dateityp', description: 'Maximale Kompatibilität' });
  });

  it('Refuses 50 MB and a byte (D19)', async () => {
    await chooseFiles(openImage(), sized(photo(), 50 * 1024 * 1024 + 1));
    await expectToast({ title: 'Datei zu groß', description: 'Ein Bild darf höchstens 50 MB groß sein.' });
  });

  it('refuses an empty file', async () => {
    await chooseFiles(openImage(), new File([], 'leer.png', { type: 'image/png' }));
    await expectToast({ title: 'Leere Datei' });
  });

  it('can be taken back, by keyboard too: the focus goes on (WCAG 2.4.3)', async () => {
    const run = openImage();
    await chooseFiles(run, photo());
    await screen.findByRole('region', { name: /^Meldungen/ });
    screen.getByRole('button', { name: 'Halle 3.JPG entfernen' }).focus();
    await run.user.keyboard('{Enter}');
    const picker = screen.getByRole('button', { name: /Bild auswählen/ });
    await waitFor(() => expect(document.activeElement).toBe(picker));
  });
});

describe('§2.9 Zurück steps back one stage', () => {
  it('from the questions to the choice, the file, the start of the area; nothing is lost', async () => {
    const run = openImage();
    await toQuestions(run, photo());
    await answer(run, 'Ada', ['Wer?']);
    await click(run, 'Zurück');
    expect(heading()).toBe('Wie möchtest du es beschreiben?');
    await click(run, 'Zurück');
    expect(heading()).toBe('Bild hochladen');
    expect(screen.getByText('Halle 3.JPG')).toBeTruthy();
    await click(run, 'Weiter');
    await click(run, /Textformular/);
    expect(screen.getByLabelText('Wer?')).toHaveProperty('value', 'Ada');
    for (const _ of [1, 2, 3]) await click(run, 'Zurück');
    expect(run.went).toEqual([{ to: 'home' }]);
  });

  it('a reload keeps the answers and asks for the file again', async () => {
    const first = openImage();
    await toQuestions(first, photo());
    await answer(first, 'Ada', ['Wer?']);
    first.unmount();
    // A reload takes the memory of the page along.
    forgetUnsentFiles();
    const run = openImage();
    expect(screen.getByText(/Deine Angaben sind noch da/)).toBeTruthy();
    await toQuestions(run, photo());
    expect(screen.getByLabelText('Wer?')).toHaveProperty('value', 'Ada');
  });
});

describe('§5 W-answers', () => {
  it.each([
    [openVideo, clip(), '', 'Bitte beantworte alle W-Fragen.'],
    [openVideo, clip(), '   ', 'Bitte beantworte alle W-Fragen.'],
    [openImage, photo(), 'x', 'Bitte beantworte alle W-Fragen mit mindestens 2 Zeichen.'],
    [openImage, photo(), ' x ', 'Bitte beantworte alle W-Fragen mit mindestens 2 Zeichen.'],
  ])('%# incomplete', async (open, file, words, description) => {
    const run = open();
    await toQuestions(run, file);
    await answer(run);
    await answer(run, words, ['Wo?']);
    await click(run, 'Absenden');
    await expectToast({ title: 'Unvollständige Beschreibung', description });
    expect(document.activeElement).toBe(screen.getByLabelText('Wo?'));
    expect(fake.called('POST interviews')).toEqual([]);
  });

  it('as long as the fields allow, the five together are not too long for the database', async () => {
    await toQuestions(openVideo(), clip());
    const lengths = QUESTIONS.map((question) => screen.getByLabelText<HTMLTextAreaElement>(question).maxLength);
    // As many line ends as in a list of keywords, each of which counts twice.
    const answers = Object.fromEntries(lengths.map((length, at) => [`w${at}`, 'Messe Hannover\n'.repeat(length / 15)]));
    expect(Math.min(...lengths)).toBeGreaterThan(3_000);
    expect(JSON.stringify(answers).length).toBeLessThan(CONTRIBUTION_LIMITS.answerCharacters);
  });

  it('a single character is enough for a video', async () => {
    const run = openVideo();
    await toQuestions(run, clip());
    await answer(run, 'x');
    await click(run, 'Absenden');
    await expectToast({ title: 'Upload erfolgreich', description: 'Video erfolgreich hochgeladen' });
    expect(fake.media[0]).toMatchObject({ file_type: 'video/quicktime' });
  });
});

describe('§4 Video and image flow', () => {
  it('row, trimmed answers, file and one metadata row, then thank-you after 1 s', async () => {
    freezeTime();
    const run = openImage();
    await toQuestions(run, photo());
    await answer(run, ' ja ');
    await click(run, 'Absenden');
    await expectToast({ title: 'Upload erfolgreich', description: 'Bilder erfolgreich hochgeladen (1)' });
    const order = fake.calls.map(({ call }) => call).filter((call) => !call.startsWith('GET'));
    expect(order).toEqual(['POST interviews', 'PATCH interviews', 'POST object', 'POST media_uploads']);
    expect(fake.interviews.get(4711)).toMatchObject({
      w_questions_answers: { who: 'ja', what: 'ja', when: 'ja', where: 'ja', why: 'ja' },
    });
    expect(fake.media).toEqual([
      {
        interview_id: 4711,
        file_path: expect.stringMatching(/^4711\/\d+_[0-9a-f]{32}\.jpg$/),
        file_type: 'image/jpeg',
        original_name: 'Halle 3.JPG',
      },
    ]);
    await pass(999);
    expect(run.went).toEqual([]);
    await pass(1);
    expect(run.went).toEqual([{ to: 'thank-you', state: { interviewId: '4711', uploadSuccess: true } }]);
    expect(sessionStorage.getItem('media_draft:generic:image')).toBeNull();
  });

  it('says that the descriptions were saved', async () => {
    freezeTime();
    fake.fail('POST object', NETWORK, 1);
    const run = openImage();
    await toQuestions(run, photo());
    await answer(run);
    await click(run, 'Absenden');
    await expectToast({ title: 'Bildbeschreibungen wurden gespeichert.' });
  });

  it('Stays where the descriptions could not be saved (§8)', async () => {
    fake.fail('PATCH interviews', refusal(403, '42501'));
    vi.spyOn(console, 'error').mockImplementation(() => {});
    const run = openImage();
    await toQuestions(run, photo());
    await answer(run);
    await click(run, 'Absenden');
    await expectToast({ title: 'Fehler', description: 'Die Bildbeschreibungen konnten nicht gespeichert werden.' });
    expect(fake.called('POST object')).toEqual([]);
    expect(screen.getByLabelText('Wer?')).toHaveProperty('value', 'ja');
  });

  it('After a failed upload the next try goes to the same row and file (§8)', async () => {
    fake.fail('POST object', storageRefusal('413', 'EntityTooLarge'), 1);
    const run = openImage();
    await toQuestions(run, photo());
    await answer(run);
    await click(run, 'Absenden');
    await expectToast({
      title: 'Upload fehlgeschlagen',
      description: 'Die Bilder konnten nicht hochgeladen werden. Bitte versuche es erneut.',
    });
    expect(screen.getByText('Zu groß für den Server. Sag dem Team Bescheid.')).toBeTruthy();
    await click(run, 'Absenden');
    await expectToast({ title: 'Upload erfolgreich' });
    expect(fake.called('POST interviews')).toHaveLength(1);
    expect(fake.media).toHaveLength(1);
  });

  it('Says so where row-level security refuses the file (§8)', async () => {
    fake.fail('POST object', storageRefusal('403', 'AccessDenied'));
    const run = openImage();
    await toQuestions(run, photo());
    await answer(run);
    await click(run, 'Absenden');
    await expectToast({ title: 'Storage-Hinweis' });
  });

  it('Without a database uses a local id, says so, keeps it 0.5 s later and goes on (§4)', async () => {
    freezeTime();
    for (const call of ['GET interviews', 'GET media_uploads', 'GET bucket']) fake.fail(call, refusal(400, 'X'), 99);
    const run = openImage();
    await toQuestions(run, photo());
    await answer(run);
    await click(run, 'Absenden');
    await expectToast({ title: 'Hinweis', description: 'Es wird eine lokale Interview-ID verwendet' });
    await pass(500);
    await expectToast({ title: 'Lokal gespeichert', description: 'temporär' });
    await pass(1000);
    const id = sessionStorage.getItem('currentInterviewId') ?? '';
    expect(id).toMatch(/^local_\d+_/);
    expect(run.went[0]).toMatchObject({ to: 'thank-you', state: { interviewId: id, uploadSuccess: false } });
    expect(sessionStorage.getItem(`w_questions_answers:${id}`)).toContain('"who":"ja"');
  });

  it('a second contribution gets a row of its own', async () => {
    for (const _ of [1, 2]) {
      const run = openImage();
      await toQuestions(run, photo());
      await answer(run);
      await click(run, 'Absenden');
      await expectToast({ title: 'Upload erfolgreich' });
      run.unmount();
    }
    expect(fake.interviews.size).toBe(2);
  });
});

describe('§2.9 interview variant', () => {
  it('leads to the text form where there is no interview', async () => {
    const run = openImage();
    await chooseFiles(run, photo());
    await click(run, 'Weiter');
    await click(run, /Sprachinterview/);
    expect(screen.getByText('Das Interview folgt in Kürze')).toBeTruthy();
    await click(run, 'Schriftlich beantworten');
    expect(heading()).toBe('Die fünf W-Fragen');
  });

  it('leaves nothing that is told by a screen taken away by a logout (§4)', async () => {
    const Interview: DescriptionInterview = ({ onCompleted }) => {
      const latest = useRef(onCompleted);
      useEffect(() => () => latest.current('Du: Ein Prüfstand.'), []);
      return <p>Gespräch</p>;
    };
    const run = renderFlow(<ImageUploadScreen interview={Interview} />, { backend: fake.backend });
    await chooseFiles(run, photo());
    await click(run, 'Weiter');
    await click(run, /Sprachinterview/);
    clearUserData();
    run.unmount();
    expect(sessionStorage).toHaveLength(0);
  });

  it('submit is enabled only once the interview has completed; its transcript is saved', async () => {
    let complete: (transcript: string) => void = () => expect.fail('no interview');
    const Interview: DescriptionInterview = ({ onCompleted }) => {
      complete = onCompleted;
      return <p>Gespräch</p>;
    };
    const run = renderFlow(<ImageUploadScreen interview={Interview} />, { backend: fake.backend });
    await chooseFiles(run, photo());
    await click(run, 'Weiter');
    await click(run, /Sprachinterview/);
    expect(screen.getByRole('button', { name: 'Absenden' }).hasAttribute('disabled')).toBe(true);
    act(() => complete('Du: Ein Prüfstand.'));
    await click(run, 'Absenden');
    await expectToast({ title: 'Upload erfolgreich' });
    expect(fake.interviews.get(4711)).toMatchObject({ transcript: 'Du: Ein Prüfstand.' });
    expect(fake.media).toHaveLength(1);
  });

  it('names beside the interview why its file did not arrive (§8)', async () => {
    fake.fail('POST object', storageRefusal('413', 'EntityTooLarge'));
    const Interview: DescriptionInterview = ({ onCompleted }) => (
      <button type="button" onClick={() => onCompleted('Du: Ein Prüfstand.')}>
        Beenden
      </button>
    );
    const run = renderFlow(<ImageUploadScreen interview={Interview} />, { backend: fake.backend });
    await chooseFiles(run, photo());
    for (const name of ['Weiter', /Sprachinterview/, 'Beenden', 'Absenden']) await click(run, name);
    await expectToast({ title: 'Upload fehlgeschlagen' });
    expect(heading()).toBe('Kurzes Sprachinterview');
    expect(screen.getByText('Zu groß für den Server. Sag dem Team Bescheid.')).toBeTruthy();
  });
});
