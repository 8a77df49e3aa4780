import { expect, test, vi } from 'vitest';
import { countCharacters } from '#contract/channels.ts';
import { collectSources, createEvidence, indexSources } from '#contract/evidence/index.ts';
import { beginFromMaterial } from './begin-from-material.ts';

const ANSWERS = { who: 'Das Team der Montage', what: 'Eine Prüfmaschine', when: 'Im Oktober', where: '', why: ' ' };
const TRANSCRIPT = [
  'Interviewer: Was habt ihr gebaut und wie schnell misst es denn eigentlich?',
  'Du: Ja. Wir haben eine Prüfmaschine direkt neben die Drehbank gestellt. Sie misst jedes Bauteil in ' +
    'unter 2 Sekunden.',
  'Interviewer: Und davor?',
  'Du: Davor sind alle mit jedem Teil in den Messraum gelaufen. Weißt du, wie weit das in Halle 3 ist?',
].join('\n\n');

test('Puts the W-answers in front and the strongest sentences in their order (posts)', () => {
  expect(beginFromMaterial({ transcript: TRANSCRIPT, answers: ANSWERS }, 'linkedin')).toBe(
    [
      'Eine Prüfmaschine. Das Team der Montage. Im Oktober.',
      'Wir haben eine Prüfmaschine direkt neben die Drehbank gestellt. Sie misst jedes Bauteil in unter ' +
        '2 Sekunden. Davor sind alle mit jedem Teil in den Messraum gelaufen.',
    ].join('\n\n'),
  );
});

test('Uses nothing of the interviewer, and every sentence rests on the material (posts)', () => {
  const body = beginFromMaterial({ transcript: TRANSCRIPT, answers: ANSWERS }, 'linkedin');
  expect(body).not.toContain('eigentlich');
  const sources = collectSources({ transcript: TRANSCRIPT, answers: ANSWERS });
  const verdicts = createEvidence(indexSources(sources))(body).map(({ verdict }) => verdict);
  expect(verdicts).not.toContain('unsupported');
});

test('Keeps to the length of the channel (posts)', () => {
  const transcript = Array.from(
    { length: 60 },
    (_, at) => `Du: Das ist der Satz Nummer ${at} mit vielen Wörtern darin.`,
  ).join('\n\n');
  const body = beginFromMaterial({ transcript, answers: null }, 'x');
  expect(countCharacters('x', body)).toBeLessThanOrEqual(280);
  expect(countCharacters('x', body)).toBeGreaterThan(150);
});

test('Is empty where nothing was said (posts)', () => {
  expect(beginFromMaterial({ transcript: null, answers: null }, 'facebook')).toBe('');
});

test('Measures each sentence of a long transcript once (threat 21)', () => {
  const transcript = `Du: ${Array.from({ length: 2_000 }, (_, at) => `Das ist hier Satz ${at}.`).join(' ')}`;
  const measured = vi.spyOn(Intl.Segmenter.prototype, 'segment');
  beginFromMaterial({ transcript, answers: null }, 'linkedin');
  const characters = measured.mock.calls.reduce((sum, [text]) => sum + text.length, 0);
  measured.mockRestore();
  expect(characters).toBeLessThanOrEqual(transcript.length);
});
