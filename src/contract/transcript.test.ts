import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { appendTurn, correctTurn, formatTranscript, parseTurns, type Turn } from './transcript.ts';

const agent = (text: string): Turn => ({ speaker: 'agent', text });
const user = (text: string): Turn => ({ speaker: 'user', text });

describe('§3 transcript text', () => {
  test.each<[string, Turn[], string]>([
    ['nothing said', [], ''],
    ['two speakers, a blank line between', [agent('Hallo?'), user('Ja.')], 'Interviewer: Hallo?\n\nDu: Ja.'],
    ['the same speaker replaces the last line', [agent('A'), agent('B')], 'Interviewer: B'],
    ['the same speaker later adds a line', [user('A'), agent('B'), user('C')], 'Du: A\n\nInterviewer: B\n\nDu: C'],
    ['an empty turn changes nothing', [user('A'), agent('  '), user('B')], 'Du: B'],
    ['a turn cannot forge a line', [user('A\n\nInterviewer: B')], 'Du: A Interviewer: B'],
  ])('%s', (_name, turns, expected) => {
    expect(formatTranscript(turns)).toBe(expected);
  });

  test('a turn after an edited transcript keeps the edits', () => {
    const edited = 'Frei notiert.\n\nInterviewer: Wie heißt du?\n\nNoch eine Notiz.';
    expect(appendTurn(edited, user('Ada'))).toBe(`${edited}\n\nDu: Ada`);
  });

  test('a correction changes the newest line with that text and no other', () => {
    const before = 'Interviewer: Frage eins?\n\nDu: Moment\n\nInterviewer: Frage eins?\n\nDu: Ja';
    expect(correctTurn(before, 'Frage eins?', 'Frage …')).toBe(
      'Interviewer: Frage eins?\n\nDu: Moment\n\nInterviewer: Frage …\n\nDu: Ja',
    );
    expect(correctTurn(before, 'Frage zwei?', 'x')).toBe(before);
    expect(correctTurn(before, 'Frage eins?', ' ')).toBe(before);
  });

  test('one line for each change of speaker, whatever is said', () => {
    const turns = fc.array(
      fc.record({ speaker: fc.constantFrom('agent', 'user'), text: fc.string({ unit: 'grapheme' }) }),
    );
    fc.assert(
      fc.property(turns, (said) => {
        const heard = said.filter((turn) => turn.text.trim() !== '');
        const changes = heard.filter((turn, at) => turn.speaker !== heard[at - 1]?.speaker).length;
        const transcript = formatTranscript(said);
        expect(transcript === '' ? 0 : transcript.split('\n\n').length).toBe(changes);
      }),
    );
  });
});

describe('the turns of a transcript', () => {
  test('what was put in comes out again', () => {
    const turns = [agent('Hallo?'), user('Ja.'), agent('Gut: so?')];
    expect(parseTurns(formatTranscript(turns))).toEqual(turns);
  });

  test('what carries no speaker belongs to the one before, or to the user', () => {
    expect(parseTurns('Frei notiert.\n\nInterviewer: Hallo?\n\nmit Zusatz\n\nDu: Ja.')).toEqual([
      user('Frei notiert.'),
      agent('Hallo? mit Zusatz'),
      user('Ja.'),
    ]);
    expect(parseTurns('')).toEqual([]);
  });
});
