import { describe, expect, test } from 'vitest';
import { addAnswers, type Answers, type AnswersEvent, NO_ANSWERS, reduceAnswers } from './answers.ts';

const run = (events: readonly AnswersEvent[], from: Answers = NO_ANSWERS): Answers =>
  events.reduce(reduceAnswers, from);
const sent = (text: string): AnswersEvent => ({ type: 'sent', text });
const user = (text: string): AnswersEvent => ({ type: 'said', turn: { speaker: 'user', text, eventId: undefined } });
const agent = (text: string): AnswersEvent => ({ type: 'said', turn: { speaker: 'agent', text, eventId: 1 } });
const BROKEN: AnswersEvent = { type: 'broken' };

describe('Sent and not confirmed', () => {
  test.each<[string, AnswersEvent[], string[]]>([
    ['nothing came back', [sent('Ja'), sent('Ja')], ['Ja', 'Ja']],
    ['one echo for two equal answers', [sent('Ja'), sent('Ja'), user('Ja')], ['Ja']],
    ['an echo confirms those before it', [sent('Eins'), sent('Zwei'), user('Zwei')], []],
    ['line breaks and spaces', [sent('Eine  Halle\nin Bremen'), user('Eine Halle in Bremen')], []],
    ['what a database cannot hold', [sent('Eine\0 Halle \ud800'), user('Eine Halle \ufffd')], []],
    ['words of the same turn before it', [sent('Zwei'), user('Eins Zwei')], []],
    ['a long answer that was cut', [sent('wort '.repeat(400).trim()), user('wort '.repeat(300))], []],
    ['other words, spoken', [sent('Ja'), user('Eine Jacke')], ['Ja']],
    ['the interviewer says the same', [sent('Ja'), agent('Ja')], ['Ja']],
  ])('%s', (_name, events, unconfirmed) => {
    expect(run(events)).toEqual({ ...NO_ANSWERS, unconfirmed });
  });
});

describe('A line that broke', () => {
  const typed = run([sent('Eins'), sent('Zwei'), { type: 'typed', text: 'Und d' }, BROKEN]);

  test('Puts what was not confirmed back before what is being typed, also after another break', () => {
    const back = { text: 'Eins\nZwei\nUnd d', unconfirmed: [], returned: ['Eins', 'Zwei'] };
    expect(typed).toEqual(back);
    expect(run([BROKEN], typed)).toEqual(back);
  });

  const SHOWN = 'Interviewer: Wer?\n\nDu: Ja\n\nInterviewer: Wo?';
  test.each([
    ['nothing arrived', SHOWN, 'Eins\nZwei\nUnd d'],
    ['the first arrived', `${SHOWN}\n\nDu: Eins\n\nInterviewer: Gut`, 'Zwei\nUnd d'],
    ['both arrived; the second took the place of the first', `${SHOWN}\n\nDu: Zwei`, 'Und d'],
    ['both arrived in one turn', `${SHOWN}\n\nDu: Eins Zwei`, 'Und d'],
    ['the server knows nothing', '', 'Eins\nZwei\nUnd d'],
  ])('Says nothing twice: %s', (_name, known, text) => {
    expect(run([{ type: 'resumed', shown: SHOWN, known }], typed)).toEqual({ ...NO_ANSWERS, text });
  });

  test('Does not take an equal answer of before for this one', () => {
    const again = run([sent('Ja'), BROKEN, { type: 'resumed', shown: SHOWN, known: SHOWN }]);
    expect(again.text).toBe('Ja');
  });

  test('Leaves a text alone that was changed in the field', () => {
    const changed = run([{ type: 'typed', text: 'Anders' }], typed);
    expect(run([{ type: 'resumed', shown: '', known: 'Du: Eins' }], changed).text).toBe('Anders');
  });
});

describe('In the transcript', () => {
  const answers = run([sent('Eins'), { type: 'typed', text: ' Zwei\n' }]);
  test.each([
    ['Interviewer: Wo?', 'Interviewer: Wo?\n\nDu: Eins Zwei'],
    ['Interviewer: Wo?\n\nDu: In Bremen', 'Interviewer: Wo?\n\nDu: In Bremen Eins Zwei'],
    ['', 'Du: Eins Zwei'],
  ])('Completes the last turn of the person: %s', (transcript, complete) => {
    expect(addAnswers(transcript, answers)).toBe(complete);
    expect(addAnswers(transcript, run([{ type: 'taken' }], answers))).toBe(transcript);
  });
});
