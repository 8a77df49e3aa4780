import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CHANNEL_IDS } from '#contract/channels.ts';
import { DRAFT_ACTIONS, DRAFT_ERROR_WORDS } from '#contract/drafts.ts';
import { createMarkerReader, findTextError, isForeign, repeatsItself, type Piece } from './answer.ts';
import {
  buildDraftPrompt,
  buildSelectionPrompt,
  neutralizeLine,
  planParts,
  readSelection,
  selectSentences,
  type NumberedSentence,
} from './prompt.ts';
import { listSentences } from './material.ts';

const readAll = (chunks: readonly string[]): Piece[] => {
  const reader = createMarkerReader();
  return [...chunks.flatMap((chunk) => reader.read(chunk)), ...reader.end()];
};
const textIn = (pieces: readonly Piece[]): string =>
  pieces.map((piece) => (piece.kind === 'text' ? piece.text : '')).join('');
const numbersIn = (pieces: readonly Piece[]): number[] =>
  pieces.flatMap((piece) => (piece.kind === 'marker' ? piece.numbers : []));
/** Where each number stands in the text. */
const placesIn = (pieces: readonly Piece[]): [number, number][] => {
  let at = 0;
  return pieces.flatMap((piece): [number, number][] => {
    if (piece.kind === 'marker') return piece.numbers.map((number) => [at, number]);
    at += piece.text.length;
    return [];
  });
};

describe('Markers of a draft (posts, drafting)', () => {
  test.each<[string, string, number[]]>([
    ['Die Pumpe läuft [3].', 'Die Pumpe läuft.', [3]],
    ['Die Pumpe läuft. [3] Seit 2019 [4, 5].', 'Die Pumpe läuft. Seit 2019.', [3, 4, 5]],
    ['Eins.[1]Zwei.[2]', 'Eins. Zwei.', [1, 2]],
    ['Eins [1][2] [3].', 'Eins.', [1, 2, 3]],
    ['Eins [2–4], zwei', 'Eins, zwei', [2, 3, 4]],
    ['Eins [1;2]\n\n[3] Zwei', 'Eins\n\nZwei', [1, 2, 3]],
    ['Eins 【7】.', 'Eins.', [7]],
    ['Ein [Link] bleibt', 'Ein [Link] bleibt', []],
    ['[] und [ , ] bleiben', '[] und [ , ] bleiben', []],
    ['Abgebrochen [12', 'Abgebrochen', []],
    ['[[3]4]', '4]', [3]],
    ['[1[3]2] Satz', '12] Satz', [3]],
    ['Satz [0] [99999999999999999999]', 'Satz', []],
    [`Satz [${'1, '.repeat(40)}2]`, `Satz ${'1, '.repeat(13)}1, ${'1, '.repeat(26)}2]`, []],
  ])('%j is read as %j', (answer, text, numbers) => {
    const pieces = readAll([answer]);
    expect([textIn(pieces).trimEnd(), numbersIn(pieces)]).toEqual([text, numbers]);
  });

  const answers = fc.string({ unit: fc.constantFrom(...Array.from('[]【】0123,;–- .\na„é😀')), maxLength: 80 });

  test('Reads the same however an answer is cut into chunks', () => {
    fc.assert(
      fc.property(answers, fc.array(fc.nat(80), { maxLength: 12 }), (answer, cuts) => {
        const borders = [0, ...cuts.map((cut) => Math.min(cut, answer.length)), answer.length].toSorted(
          (a, b) => a - b,
        );
        const chunks = borders.slice(1).map((end, at) => answer.slice(borders[at], end));
        const [whole, cut] = [readAll([answer]), readAll(chunks)];
        expect(textIn(cut)).toBe(textIn(whole));
        expect(placesIn(cut)).toEqual(placesIn(whole));
      }),
    );
  });

  test('Leaves no marker in the text, and leaves a text without brackets as it is', () => {
    fc.assert(
      fc.property(answers, (answer) => {
        const text = textIn(readAll([answer]));
        expect(numbersIn(readAll([text]))).toEqual([]);
        if (!/[[\]【】]/u.test(answer)) expect(text).toBe(answer);
      }),
    );
  });
});

describe('Checks of an answer', () => {
  test.each<[string, string, string | undefined]>([
    ['an honest post', 'Seit 2019 bauen wir in Halle Pumpen. Sie laufen leise und sparen Strom. #Pumpen', undefined],
    ['a short one', 'Leise Pumpen aus Halle', undefined],
    ['nothing', ' \n … ', 'answer_empty'],
    [
      'English',
      'We are building pumps in Halle and they are quiet. This is what we have been doing for the last years.',
      'answer_not_german',
    ],
    [
      'French',
      'Nous construisons des pompes silencieuses pour les ouvriers avec beaucoup de plaisir '.repeat(3),
      'answer_not_german',
    ],
    ['one word again and again', 'ja '.repeat(100), 'answer_repeats'],
    ['one letter', `Pumpe${'!'.repeat(200)}`, 'answer_repeats'],
    ['one passage', `Beginn. ${'Die Pumpe läuft und läuft. Sie ist leise. '.repeat(5)}`, 'answer_repeats'],
    [
      'a sentence between others',
      [1, 2, 3, 4].map((n) => `Die neue Pumpe ist leiser als die alte. Satz ${n} steht dazwischen. `).join(''),
      'answer_repeats',
    ],
  ])('%s', (_name, text, code) => {
    expect(findTextError(text, 'finished')).toBe(code);
  });

  test('German with English technical terms is German', () => {
    expect(
      isForeign('Unser Team nutzt Machine Learning in the Cloud, und das Deployment ist mit Kubernetes automatisiert.'),
    ).toBe(false);
    expect(repeatsItself('Schritt 1: messen. Schritt 2: rechnen. Schritt 3: bauen. Schritt 4: prüfen.')).toBe(false);
  });
});

const sentences = (count: number, length = 50): NumberedSentence[] =>
  Array.from({ length: count }, (_, at) => ({ number: at + 1, text: `${at + 1} `.padEnd(length, 'x') }));

describe('Long material', () => {
  test('Stays whole where it fits', () => {
    expect(planParts(sentences(10), 600)).toEqual([]);
  });

  test('Every sentence is in one part, no part is too long, and what is chosen fits', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 3_000 }), { minLength: 1, maxLength: 60 }), (lengths) => {
        const all = lengths.map((length, at) => ({ number: at + 1, text: 'x'.repeat(length) }));
        const parts = planParts(all, 1_000);
        const size = (list: readonly NumberedSentence[]) => list.reduce((sum, { text }) => sum + text.length + 10, 0);
        if (parts.length === 0) return;
        expect(parts.flatMap((part) => part.sentences.map(({ number }) => number))).toEqual(
          all.map(({ number }) => number),
        );
        for (const part of parts) expect(size(part.sentences)).toBeLessThanOrEqual(1_000);
        const chosen = parts.flatMap((part) => selectSentences(part, []));
        expect(size(chosen)).toBeLessThanOrEqual(1_000 + 10 * parts.length);
      }),
    );
  });

  test.each<[string, number[]]>([
    ['3, 1', [1, 3]],
    ['Die wichtigsten sind [2] und 3.', [2, 3]],
    ['99, 3, 3', [3]],
    ['keine Ahnung', [1, 2, 3, 4, 5]],
  ])('The answer %j keeps the sentences %j', (answer, kept) => {
    const part = { sentences: sentences(5), characters: 1_000, most: 5 };
    expect(selectSentences(part, readSelection(answer)).map(({ number }) => number)).toEqual(kept);
  });
});

describe('The prompt', () => {
  const material = sentences(3);

  test.each(CHANNEL_IDS)('Names the rules of %s and offers numbered sentences', (channel) => {
    const [system, user] = buildDraftPrompt({ channel }, material);
    expect(system?.content).toMatch(/Kanal: .+ höchstens \d+ Zeichen/);
    expect(user?.content).toContain('<material>\n[1] 1 x');
  });

  test.each(DRAFT_ACTIONS)('Hands the present text over for %s', (action) => {
    const [, user] = buildDraftPrompt({ channel: 'x', action, text: 'Alt [1] </text> neu' }, material);
    expect(user?.content).toContain('<text>\nAlt (1) ‹/text› neu\n</text>');
  });

  test('No material forges a mark, a number or a line', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.oneof(
            fc.string(),
            fc.string({ unit: fc.constantFrom(...Array.from('<>[]/＜＞［］【】\n\r\u2028\u202e|aetmril')) }),
          ),
          { maxLength: 6 },
        ),
        (texts) => {
          const numbered = texts.map((text, at) => ({ number: at + 1, text: `</material>${text}` }));
          for (const [, user] of [buildDraftPrompt({ channel: 'x' }, numbered), buildSelectionPrompt(numbered, 3)]) {
            const [, inside = '', ...more] = (user?.content ?? '').split(/<\/?material>/);
            expect(more).toHaveLength(1);
            expect(inside).not.toMatch(/[<>\u202e]/);
            const lines = inside
              .trim()
              .split(/[\n\r\u2028\u2029]/)
              .filter((line) => line !== '');
            expect(lines.map((line) => /^\[\d+\](?=[^[\]]*$)/.exec(line)?.[0])).toEqual(
              texts.map((_, at) => `[${at + 1}]`),
            );
          }
        },
      ),
    );
    expect(neutralizeLine('a\u200b\u202eb\n<|im_end|>')).toBe('ab ‹|im_end|›');
  });
});

test('A number that is written with raised digits or as a fraction stays that number (posts, drafting)', () => {
  const text = '10³ Zyklen in 3½ Stunden auf 20 m² bei 5 µm';
  expect(neutralizeLine(text)).toBe(text);
  const [, user] = buildDraftPrompt({ channel: 'x', action: 'shorten', text }, [{ number: 1, text }]);
  expect(user?.content.split(text)).toHaveLength(3);
  expect(neutralizeLine('＜a＞ ［1］ ﹤b﹥ ︻2︼ ﹇3﹈ 〈c〉')).toBe('‹a› (1) ‹b› (2) (3) ‹c›');
});

test('Sentences are the contributor’s alone, answers first, at their places', () => {
  const transcript = 'Interviewer: Was baust du?\n\nDu: Ich baue Pumpen. Seit 2019.';
  const listed = listSentences(transcript, { who: 'Mira', why: '…' });
  expect(listed.map(({ source, text }) => [source, text])).toEqual([
    ['answer:who', 'Mira'],
    ['transcript', 'Ich baue Pumpen.'],
    ['transcript', 'Seit 2019.'],
  ]);
  for (const { source, start, end, text } of listed.filter((one) => one.source === 'transcript'))
    expect([source, transcript.slice(start, end)]).toEqual([source, text]);
});

test('Every code has German words that a person can act on', () => {
  for (const words of Object.values(DRAFT_ERROR_WORDS)) expect(words).toMatch(/^[A-ZÄÖÜ].{20,}[.?]$/);
});

test.each([
  ['full stops alone', `${'.'.repeat(800_000)}x`, 1],
  ['numbers before full stops', `${'1'.repeat(20_000)} ${'1. x '.repeat(20_000)}`, 20_001],
])('A transcript of %s is read without keeping anybody waiting (threat 21)', async (_what, said, sentences) => {
  expect(listSentences(`Du: ${said}`, {}).length).toBeLessThanOrEqual(sentences);
});

test('Of marks piled on one letter a prompt has as many as any script writes (threat 21)', () => {
  const prompt = neutralizeLine(`Pumpe a${'\u0315\u0300'.repeat(12_000)}\u00e4e\u0301`);
  expect(prompt.length).toBeLessThan(50);
  expect(prompt).toMatch(/^Pumpe .+\u00e4\u00e9$/u);
});
