import { describe, expect, test } from 'vitest';
import { INTERVIEW_SUBJECTS, W_QUESTIONS, type InterviewSubject } from '#contract/voice.ts';
import { answerBank, openBank, repromptBank, type BankStep } from './bank-interviewer.ts';
import { BANKS } from './banks.ts';

const LONG = 'Das ist eine ausführliche Antwort mit mehr als sechs Wörtern.';
const said = (step: BankStep | undefined): string =>
  (step?.actions ?? []).flatMap((action) => (action.kind === 'say' ? [action.sentence] : [])).join(' ');
const ended = (step: BankStep | undefined): boolean => (step?.actions ?? []).some((action) => action.kind === 'end');

function interview(subject: InterviewSubject, answers: (at: number) => string): BankStep[] {
  const steps = [openBank(subject, [], undefined)];
  for (let at = 0; at < 40; at++) {
    const last = steps.at(-1);
    if (last === undefined || ended(last)) break;
    steps.push(answerBank(last.state, answers(at)));
  }
  return steps;
}

describe.each(INTERVIEW_SUBJECTS)('question bank %s', (subject) => {
  const bank = BANKS[subject];

  test('Has 5 to 7 questions with probes that cover every W-question', () => {
    expect(bank.questions.length).toBeGreaterThanOrEqual(5);
    expect(bank.questions.length).toBeLessThanOrEqual(7);
    expect(new Set(bank.questions.flatMap((question) => question.covers))).toEqual(new Set(W_QUESTIONS));
    for (const { text, probe } of bank.questions) for (const one of [text, probe]) expect(one).toMatch(/\?|\.$/);
  });

  test('Says du, never Sie', () => {
    const words = JSON.stringify(bank).match(/[\p{L}]+/gu) ?? [];
    expect(words.filter((word) => ['Ihnen', 'Ihr', 'Ihre', 'Ihren'].includes(word))).toEqual([]);
  });

  test('Asks each question once after full answers, then ends', () => {
    const steps = interview(subject, () => LONG);
    expect(steps).toHaveLength(bank.questions.length + 1);
    bank.questions.forEach((question, at) => expect(said(steps[at])).toContain(question.text));
    expect(said(steps.at(-1))).toContain(bank.closing);
    expect(ended(steps.at(-1))).toBe(true);
  });
});

describe('The interviewer without a language model (docs/interview.md)', () => {
  test('Probes an answer under six words once, then asks the next question', () => {
    const open = openBank('tech-dive', [], undefined);
    const probed = answerBank(open.state, 'Ein Lager.');
    expect(said(probed)).toBe(BANKS['tech-dive'].questions[0]?.probe);
    expect(said(answerBank(probed.state, 'Ja.'))).toContain(BANKS['tech-dive'].questions[1]?.text);
  });

  test('Asks open W-questions at the end, each once', () => {
    const steps = interview('free-topic', () => 'Weiß ich nicht.');
    const asked = steps
      .map(said)
      .filter((text) => Object.values(BANKS['free-topic'].open).some((open) => text.includes(open)));
    expect(asked).toHaveLength(5);
    expect(ended(steps.at(-1))).toBe(true);
  });

  test('Skips a W-question that another answer covered', () => {
    const steps = interview('free-topic', (at) =>
      at === 0 ? 'Seit 2019 bauen wir dort, weil es nötig war.' : 'Keine Ahnung.',
    );
    const texts = steps.map(said).join(' ');
    expect(texts).not.toContain(BANKS['free-topic'].open.when);
    expect(texts).not.toContain(BANKS['free-topic'].open.why);
    expect(texts).toContain(BANKS['free-topic'].open.who);
  });

  test('Stops on request', () => {
    const step = answerBank(openBank('free-topic', [], undefined).state, 'Ich möchte jetzt aufhören.');
    expect(ended(step)).toBe(true);
    const story =
      'Damals wollte ich fast aufhören, aber dann kam der Auftrag für die große Brücke und alles wurde anders.';
    expect(ended(answerBank(openBank('free-topic', [], undefined).state, story))).toBe(false);
  });

  test('Repeats the question twice in silence, then ends', () => {
    const { state } = openBank('behind-scenes', [], undefined);
    expect(said({ state, actions: repromptBank(state, 0) })).toContain(BANKS['behind-scenes'].questions[0]?.text);
    expect(ended({ state, actions: repromptBank(state, 1) })).toBe(false);
    expect(ended({ state, actions: repromptBank(state, 2) })).toBe(true);
  });

  test('Joins answer and probe as the W-answer of a media description', () => {
    const step = answerBank(openBank('media-description', [], undefined).state, 'Ein Kran');
    expect(step.actions[0]).toEqual({ kind: 'w-answer', answer: { question: 'what', answer: 'Ein Kran' } });
  });

  test('Resumes after earlier turns with the open question', () => {
    const [first, second, third] = BANKS['behind-scenes'].questions;
    const earlier = [
      { speaker: 'agent', text: `Hallo! ${first?.text}` },
      { speaker: 'user', text: LONG },
      { speaker: 'agent', text: `Danke. ${second?.text}` },
    ] as const;
    expect(said(openBank('behind-scenes', earlier, undefined))).toMatch(/^Willkommen zurück! .*/);
    expect(said(openBank('behind-scenes', earlier, undefined))).toContain(second?.text);
    const answered = [...earlier, { speaker: 'user', text: LONG } as const];
    expect(said(openBank('behind-scenes', answered, undefined))).toContain(third?.text);
  });

  test('Resumes after the last question that was answered, also where an answer cut a question off', () => {
    const { questions } = BANKS['behind-scenes'];
    const earlier = questions.slice(0, 6).flatMap(({ text }, at) => {
      const asked = at === 2 || at === 5 ? `Danke dir. ${text.split(' ').slice(0, 3).join(' ')} …` : `Okay. ${text}`;
      return [{ speaker: 'agent', text: asked } as const, { speaker: 'user', text: LONG } as const];
    });
    expect(said(openBank('behind-scenes', earlier, undefined))).toContain(questions[6]?.text);
    // A long interview is resumed with its latest turns.
    expect(said(openBank('behind-scenes', earlier.slice(6, 10), undefined))).toContain(questions[5]?.text);
  });

  test('Asks no open W-question again that was answered before the interview was interrupted', () => {
    const { questions, open } = BANKS['free-topic'];
    const earlier = [...questions.map(({ text }) => text), open.who].flatMap((text) => [
      { speaker: 'agent', text: `Okay. ${text}` } as const,
      { speaker: 'user', text: 'Keine Ahnung.' } as const,
    ]);
    expect(said(openBank('free-topic', earlier, undefined))).toContain(open.what);
  });

  test('Replaces greeting and question by the first message of the client', () => {
    const open = openBank('free-topic', [], 'Moin!');
    expect(said(open)).toBe('Moin!');
    expect(said(answerBank(open.state, LONG))).toContain(BANKS['free-topic'].questions[0]?.text);
  });
});

test('An answer of very many blanks keeps nobody waiting (threat 21)', async () => {
  const open = openBank('tech-dive', [], undefined);
  const answered = answerBank(open.state, `Weiß${' '.repeat(1_000_000)}schon`);
  expect(said(answered)).toBe(BANKS['tech-dive'].questions[0]?.probe);
});
