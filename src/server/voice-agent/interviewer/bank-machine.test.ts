import { describe, expect, test } from 'vitest';
import { INTERVIEW_SUBJECTS, W_QUESTIONS, type InterviewSubject } from '#contract/voice.ts';
import { answerBank, openBank, repromptBank, type BankStep } from './bank-machine.ts';
import { BANKS } from './banks.ts';

const LONG = 'Das ist eine ausführliche Antwort mit mehr als sechs Wörtern.';
const said = (step: BankStep | undefined): string =>
  (step?.parts ?? []).flatMap((part) => (part.kind === 'say' ? [part.sentence] : [])).join(' ');
const ended = (step: BankStep | undefined): boolean => (step?.parts ?? []).some((part) => part.kind === 'end');

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

  test('5 to 7 questions that cover every W-question, each with a probe', () => {
    expect(bank.questions.length).toBeGreaterThanOrEqual(5);
    expect(bank.questions.length).toBeLessThanOrEqual(7);
    expect(new Set(bank.questions.flatMap((question) => question.covers))).toEqual(new Set(W_QUESTIONS));
    for (const { text, probe } of bank.questions) for (const one of [text, probe]) expect(one).toMatch(/\?|\.$/);
  });

  test('du, never Sie', () => {
    const words = JSON.stringify(bank).match(/[\p{L}]+/gu) ?? [];
    expect(words.filter((word) => ['Ihnen', 'Ihr', 'Ihre', 'Ihren'].includes(word))).toEqual([]);
  });

  test('full answers: each question once, then the end', () => {
    const steps = interview(subject, () => LONG);
    expect(steps).toHaveLength(bank.questions.length + 1);
    bank.questions.forEach((question, at) => expect(said(steps[at])).toContain(question.text));
    expect(said(steps.at(-1))).toContain(bank.closing);
    expect(ended(steps.at(-1))).toBe(true);
  });
});

describe('speech.md the interviewer without a language model', () => {
  test('an answer under six words is probed once, then the next question comes', () => {
    const open = openBank('tech-dive', [], undefined);
    const probed = answerBank(open.state, 'Ein Lager.');
    expect(said(probed)).toBe(BANKS['tech-dive'].questions[0]?.probe);
    expect(said(answerBank(probed.state, 'Ja.'))).toContain(BANKS['tech-dive'].questions[1]?.text);
  });

  test('W-questions still open are asked at the end, each once', () => {
    const steps = interview('free-topic', () => 'Weiß ich nicht.');
    const asked = steps
      .map(said)
      .filter((text) => Object.values(BANKS['free-topic'].open).some((open) => text.includes(open)));
    expect(asked).toHaveLength(5);
    expect(ended(steps.at(-1))).toBe(true);
  });

  test('what an answer tells by the way is not asked again', () => {
    const steps = interview('free-topic', (at) =>
      at === 0 ? 'Seit 2019 bauen wir dort, weil es nötig war.' : 'Keine Ahnung.',
    );
    const texts = steps.map(said).join(' ');
    expect(texts).not.toContain(BANKS['free-topic'].open.when);
    expect(texts).not.toContain(BANKS['free-topic'].open.why);
    expect(texts).toContain(BANKS['free-topic'].open.who);
  });

  test('whoever wants to stop can', () => {
    const step = answerBank(openBank('free-topic', [], undefined).state, 'Ich möchte jetzt aufhören.');
    expect(ended(step)).toBe(true);
    const story =
      'Damals wollte ich fast aufhören, aber dann kam der Auftrag für die große Brücke und alles wurde anders.';
    expect(ended(answerBank(openBank('free-topic', [], undefined).state, story))).toBe(false);
  });

  test('silence: the question again, twice; then a friendly end; an answer starts the count anew', () => {
    const open = openBank('behind-scenes', [], undefined);
    const first = repromptBank(open.state);
    expect(said(first)).toContain(BANKS['behind-scenes'].questions[0]?.text);
    const second = repromptBank(first.state);
    expect(ended(second)).toBe(false);
    expect(ended(repromptBank(second.state))).toBe(true);
    expect(ended(repromptBank(answerBank(second.state, LONG).state))).toBe(false);
  });

  test('media description: probe and answer together are the W-answer', () => {
    const step = answerBank(openBank('media-description', [], undefined).state, 'Ein Kran');
    expect(step.parts[0]).toEqual({ kind: 'w-answer', answer: { question: 'what', answer: 'Ein Kran' } });
  });

  test('goes on after earlier turns: an answered question is not asked again, an open one is', () => {
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

  test('a first message of the client replaces greeting and question', () => {
    const open = openBank('free-topic', [], 'Moin!');
    expect(said(open)).toBe('Moin!');
    expect(said(answerBank(open.state, LONG))).toContain(BANKS['free-topic'].questions[0]?.text);
  });
});
