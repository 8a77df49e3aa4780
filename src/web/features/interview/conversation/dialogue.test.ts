import { describe, expect, test } from 'vitest';
import { createDialogue, reduceDialogue, type Dialogue, type DialogueEvent } from './dialogue.ts';

const agent = (text: string, eventId = 1): DialogueEvent => ({
  type: 'said',
  turn: { speaker: 'agent', text, eventId },
});
const user = (text: string): DialogueEvent => ({ type: 'said', turn: { speaker: 'user', text, eventId: undefined } });
const run = (events: readonly DialogueEvent[], from: Dialogue = createDialogue()): Dialogue =>
  events.reduce(reduceDialogue, from);

describe('§3 transcript text', () => {
  test('Writes lines by speaker; the same speaker replaces the last line', () => {
    const { transcript } = run([agent('Hallo'), user('Eins'), user('Zwei'), agent('Gut', 2)]);
    expect(transcript).toBe('Interviewer: Hallo\n\nDu: Zwei\n\nInterviewer: Gut');
  });

  test('Keeps the words heard before an interruption, and finds the turn for feedback', () => {
    const said = run([
      agent('Wer ist dabei, und  warum?', 4),
      { type: 'corrected', original: 'Wer ist dabei, und  warum?', corrected: 'Wer ist …' },
    ]);
    expect(said.transcript).toBe('Interviewer: Wer ist …');
    expect(run([{ type: 'rated', eventId: 4, liked: true }], said).asked).toEqual([
      { eventId: 4, text: 'Wer ist …', liked: true },
    ]);
  });

  test('Ignores a correction of an unknown turn', () => {
    const said = run([agent('Hallo')]);
    expect(run([{ type: 'corrected', original: 'Tag', corrected: 'T' }], said)).toEqual(said);
  });

  test('Shows tentative words until the final ones', () => {
    expect(run([{ type: 'tentative', text: 'Wir ba' }]).tentative).toBe('Wir ba');
    expect(run([{ type: 'tentative', text: 'Wir ba' }, user('Wir bauen')]).tentative).toBe('');
  });
});

describe('Repeat and resume', () => {
  const first = run([agent('Hallo'), user('Alt'), { type: 'finished' }]);

  test('Starts a repeated interview empty', () => {
    const again = run([{ type: 'connected', resume: false }, agent('Hallo'), user('Neu'), { type: 'finished' }], first);
    expect(again).toEqual(createDialogue('Interviewer: Hallo\n\nDu: Neu'));
  });

  test('Restores the first transcript after a repetition without an answer', () => {
    const again = run([{ type: 'connected', resume: false }, agent('Hallo du'), { type: 'finished' }], first);
    expect(again).toEqual(first);
  });

  test.each([
    ['takes it', 'Interviewer: Hallo\n\nDu: Neu', 'Interviewer: Hallo\n\nDu: Neu'],
    ['keeps the earlier one while the row has it', first.transcript, first.transcript],
    ['keeps a correction of it that was not saved', 'Interviewer: Hallo\n\nDu: Falsch', first.transcript],
  ])('A repetition whose only answer is understood after its end %s', (_what, known, shown) => {
    const row = 'Interviewer: Hallo\n\nDu: Falsch';
    const begun: DialogueEvent = { type: 'connected', resume: false, known: row };
    const again = run([begun, agent('Hallo'), { type: 'finished' }, { type: 'completed', known }], first);
    expect(again.transcript).toBe(shown);
  });

  test('A correction that was saved after a repetition without an answer stays where one is understood late', () => {
    const begun: DialogueEvent = { type: 'connected', resume: false, known: first.transcript };
    const edited: DialogueEvent = { type: 'edited', transcript: 'Du: Anders' };
    const late: DialogueEvent = { type: 'completed', known: 'Interviewer: Hallo\n\nDu: Neu' };
    const again = run([begun, agent('Hallo'), { type: 'finished' }, edited, late], first);
    expect(again.transcript).toBe('Du: Anders');
  });

  test("'Interview fortsetzen' adds to the transcript; earlier turns cannot be rated", () => {
    const on = run([{ type: 'connected', resume: true }, agent('Weiter', 1), user('Ja')], first);
    expect(on.transcript).toBe('Interviewer: Hallo\n\nDu: Alt\n\nInterviewer: Weiter\n\nDu: Ja');
    expect(on.asked.map((turn) => turn.text)).toEqual(['Weiter']);
  });

  test.each([
    ['what the server understood only after the break is added', `${first.transcript}\n\nDu: Und noch`, true],
    ['what the person has changed meanwhile stays', 'Du: Anders', false],
    ['a server that knows nothing takes nothing away', undefined, false],
  ])('%s', (_name, known, taken) => {
    const on = run([{ type: 'connected', resume: true, known }], first);
    expect(on.transcript).toBe(taken ? known : first.transcript);
  });

  const before = 'Interviewer: Hallo\n\nDu: Neu';
  test.each([
    ['an answer over a question that it cut is added', `${before}\n\nInterviewer: Und was …\n\nDu: Eine Halle`, true],
    ['a question that the server does not know stays', '', false],
    ['an answer that the person has changed stays', 'Interviewer: Hallo\n\nDu: Alt\n\nInterviewer: Und', false],
  ])('Broken off at a question: %s', (_name, known, taken) => {
    const asked = run([agent('Hallo'), user('Neu'), agent('Und was baut ihr?'), { type: 'finished' }]);
    const on = run([{ type: 'connected', resume: true, known }], asked);
    expect(on.transcript).toBe(taken ? known : asked.transcript);
  });

  test('Takes an edited transcript', () => {
    expect(run([{ type: 'edited', transcript: 'Du: Anders' }], first).transcript).toBe('Du: Anders');
  });

  test.each([
    ['a correction', ' Du: Anders ', 'Du: Anders'],
    ['an emptied editor', ' ', first.transcript],
    ['no editor', undefined, first.transcript],
  ])('%s: what another interview starts from', (_name, text, taken) => {
    const drafted = run([{ type: 'drafted', text }], first);
    expect(drafted).toEqual({ ...first, draft: text });
    expect(run([{ type: 'draft-taken' }], drafted)).toEqual(createDialogue(taken));
  });
});
