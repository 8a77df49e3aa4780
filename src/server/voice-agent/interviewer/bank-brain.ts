import type { Turn } from '#contract/transcript.ts';
import type { InterviewSubject } from '#contract/voice.ts';
import { answerBank, openBank, repromptBank, type BankState } from './bank-machine.ts';
import type { Brain, Part } from './brain.ts';

export type BankBrain = Brain & Readonly<{ open: () => readonly Part[] }>;

/** The interviewer without a language model: the topic's questions, probes, and the W-questions still open. */
export function createBankBrain(
  subject: InterviewSubject,
  earlier: readonly Turn[],
  firstMessage: string | undefined,
): BankBrain {
  const opening = openBank(subject, earlier, firstMessage);
  let state: BankState = opening.state;
  let before: BankState = opening.state;
  return {
    open: () => opening.parts,
    reply: async function* (answer): AsyncGenerator<Part> {
      before = state;
      const step = answerBank(state, answer);
      state = step.state;
      yield* step.parts;
    },
    retract: () => void (state = before),
    reprompt: () => {
      const step = repromptBank(state);
      state = step.state;
      return step.parts;
    },
    note: () => undefined,
  };
}
