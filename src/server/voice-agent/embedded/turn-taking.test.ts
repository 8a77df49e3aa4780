import { describe, expect, test } from 'vitest';
import {
  endsInHesitation,
  getSilenceEnd,
  startTurnTaking,
  stepTurnTaking,
  type TurnInput,
  type TurnOutput,
} from './turn-taking.ts';

type Event = Readonly<{ at: number; output: TurnOutput }>;
/** `speech`/`silence` for so many ms (in frames of 32), or one input. */
type Beat = readonly ['speech' | 'silence', number] | TurnInput;

const WORDS: TurnInput = { kind: 'words', empty: false, hesitates: false };
const HESITANT: TurnInput = { kind: 'words', empty: false, hesitates: true };
const NOTHING: TurnInput = { kind: 'words', empty: true, hesitates: false };
const SPEAKS: TurnInput = { kind: 'agent-turn-begins' };
const HEARD: TurnInput = { kind: 'agent-turn-ends' };
const FRAME_MS = 32;
const frame = (speech: boolean, ms: number, spokenAt: number, arrivedAt = spokenAt): TurnInput => ({
  kind: 'frame',
  speech,
  ms,
  spokenAt,
  arrivedAt,
});
const SPEECH = frame(true, 500, 0);

function run(beats: readonly Beat[]): Event[] {
  const events: Event[] = [];
  let now = 0;
  let state = startTurnTaking(now);
  const step = (input: TurnInput): void => {
    const next = stepTurnTaking(state, input, now);
    state = next.state;
    events.push(...next.outputs.map((output) => ({ at: now, output })));
  };
  for (const beat of beats) {
    if ('kind' in beat) {
      step(beat);
      continue;
    }
    const [what, ms] = beat;
    for (const until = now + ms; now < until; now += FRAME_MS) step(frame(what === 'speech', FRAME_MS, now));
  }
  return events;
}

const outputs = (beats: readonly Beat[]): TurnOutput[] => run(beats).map((event) => event.output);

describe('Turn-taking (docs/interview.md)', () => {
  test.each<[string, Beat[], TurnOutput[]]>([
    [
      'a sentence',
      [['speech', 1_000], ['silence', 1_000], WORDS],
      ['segment-begins', 'pause-begins', 'segment-ends', 'turn-ends'],
    ],
    [
      'words that come after a pause',
      [
        ['speech', 500],
        ['silence', 600],
      ],
      ['segment-begins', 'pause-begins'],
    ],
    [
      'a pause of 0.25 s is none',
      [
        ['speech', 500],
        ['silence', 250],
        ['speech', 500],
      ],
      ['segment-begins'],
    ],
    [
      'two pauses in one segment',
      [
        ['speech', 500],
        ['silence', 400],
        ['speech', 500],
        ['silence', 400],
      ],
      ['segment-begins', 'pause-begins', 'pause-ends', 'pause-begins'],
    ],
    [
      'the interviewer begins in a pause',
      [['speech', 500], ['silence', 400], SPEAKS, ['silence', 200]],
      ['segment-begins', 'pause-begins', 'pause-ends', 'segment-dropped'],
    ],
    [
      'a pause of 0.8 s is no end',
      [
        ['speech', 500],
        ['silence', 800],
        ['speech', 500],
      ],
      ['segment-begins', 'pause-begins', 'pause-ends'],
    ],
    [
      'a click is no speech',
      [
        ['speech', 100],
        ['silence', 300],
      ],
      ['segment-begins', 'segment-dropped'],
    ],
    [
      'a dip inside a word',
      [
        ['speech', 100],
        ['silence', 100],
        ['speech', 200],
        ['silence', 1_000],
      ],
      ['segment-begins', 'pause-begins', 'segment-ends'],
    ],
    [
      'words that are none are no turn',
      [['speech', 500], ['silence', 1_000], NOTHING, ['silence', 3_000]],
      ['segment-begins', 'pause-begins', 'segment-ends'],
    ],
    [
      'a hesitation keeps the turn for 2 s',
      [['speech', 500], ['silence', 1_000], HESITANT, ['silence', 900]],
      ['segment-begins', 'pause-begins', 'segment-ends'],
    ],
    [
      'a hesitation that stays one',
      [['speech', 500], ['silence', 1_000], HESITANT, ['silence', 1_200]],
      ['segment-begins', 'pause-begins', 'segment-ends', 'turn-ends'],
    ],
    [
      'goes on before the words are there',
      [['speech', 500], ['silence', 1_000], ['speech', 500], WORDS, ['silence', 1_000], WORDS],
      ['segment-begins', 'pause-begins', 'segment-ends', 'segment-begins', 'pause-begins', 'segment-ends', 'turn-ends'],
    ],
    ['speaks over the interviewer', [SPEAKS, ['speech', 400]], ['segment-begins', 'barge-in']],
    ['interrupts once', [SPEAKS, ['speech', 2_000]], ['segment-begins', 'barge-in']],
    [
      'mhm is no interruption and no turn',
      [SPEAKS, ['speech', 256], ['silence', 1_500], HEARD],
      ['segment-begins', 'segment-dropped'],
    ],
    ['silence for 10 s', [HEARD, ['silence', 9_900], { kind: 'tick' }], []],
  ])('%s', (_name, beats, expected) => {
    expect(outputs(beats)).toEqual(expected);
  });

  test('Ends a turn 0.9 s after the last speech and interrupts after 0.3 s', () => {
    const ends = run([
      ['speech', 1_024],
      ['silence', 1_500],
    ]).find((event) => event.output === 'segment-ends');
    const lastSpeech = 1_024 - FRAME_MS;
    expect((ends?.at ?? 0) - lastSpeech).toBeGreaterThanOrEqual(900);
    expect((ends?.at ?? 0) - lastSpeech).toBeLessThan(900 + FRAME_MS);
    const bargeIn = run([SPEAKS, ['speech', 1_000]]).find((event) => event.output === 'barge-in');
    expect(bargeIn?.at).toBeLessThanOrEqual(300);
  });

  test.each<[string, TurnInput[], number | undefined]>([
    ['without speech', [], undefined],
    ['speech, and the line is silent', [SPEECH], 2_500],
    ['silence far from its end', [SPEECH, frame(false, 32, 500)], 3_000],
    ['silence near its end', [SPEECH, frame(false, 32, 700)], 900],
    ['silence near its end on a late line', [SPEECH, frame(false, 32, 700, 1_700)], 1_900],
    ['a click', [frame(true, 100, 0)], undefined],
    ['speech under the interviewer', [SPEAKS, frame(true, 250, 0)], undefined],
    ['a segment whose words are awaited', [SPEECH, frame(false, 32, 900)], undefined],
    ['a hesitation', [SPEECH, frame(false, 32, 1_800), HESITANT], 2_000],
  ])('Says when silence changes something: %s (speech.md)', (_name, inputs, expected) => {
    let state = startTurnTaking(0);
    for (const input of inputs)
      state = stepTurnTaking(state, input, input.kind === 'frame' ? input.arrivedAt : 900).state;
    expect(getSilenceEnd(state)).toBe(expected);
  });

  test('Takes a silent line for silence only after 2.5 s: audio that comes late may be speech', () => {
    const spoken = stepTurnTaking(startTurnTaking(0), SPEECH, 0).state;
    expect(stepTurnTaking(spoken, { kind: 'tick' }, 2_400).outputs).toEqual([]);
    expect(stepTurnTaking(spoken, { kind: 'tick' }, 2_500).outputs).toEqual(['segment-ends']);
    const late = stepTurnTaking(spoken, frame(true, 500, 500, 2_400), 2_400);
    expect(late.outputs).toEqual([]);
    expect(late.state.speechMs).toBe(1_000);
  });

  test('Reprompts after 10 s of silence, with or without frames; typing restarts the time', () => {
    const ticks = (seconds: number): Beat[] =>
      Array.from({ length: seconds }, (): Beat[] => [['silence', 1_000], { kind: 'tick' }]).flat();
    expect(outputs([HEARD, ...ticks(11)])).toEqual(['reprompt']);
    expect(outputs([HEARD, ...ticks(9), { kind: 'activity' }, ...ticks(9)])).toEqual([]);
    expect(outputs([SPEAKS, ...ticks(20)])).toEqual([]);
  });
});

test.each([
  ['Das war, äh', true],
  ['Also ich glaube', true],
  ['Wir haben das gebaut und', true],
  ['Und dann …', true],
  ['Das ist so, weil,', true],
  ['Ähm.', true],
  ['Wir haben das gebaut.', false],
  ['Das ist mein Hund.', false],
  ['In Bremen', false],
])('Detects hesitation: %s → %s', (words, expected) => {
  expect(endsInHesitation(words)).toBe(expected);
});
