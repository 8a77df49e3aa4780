import { useRef, useState } from 'react';
import type { ErasureAnswer } from '#contract/desk-files.ts';
import { deskProblemOf, type DeskProblem } from '#web/backend/desk-error.ts';

export type Erasure = Readonly<{
  busy: boolean;
  problem: DeskProblem | undefined;
  run: (work: () => Promise<ErasureAnswer>) => void;
  forget: () => void;
}>;

/** One erasure at a time. What is recorded and still open counts as running: it ends by itself. */
export function useErasure(onAnswer: (answer: ErasureAnswer) => void): Erasure {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<DeskProblem>();
  const running = useRef(false);
  const run = async (work: () => Promise<ErasureAnswer>): Promise<void> => {
    if (running.current) return;
    running.current = true;
    setBusy(true);
    setProblem(undefined);
    try {
      onAnswer(await work());
    } catch (error) {
      setProblem(deskProblemOf(error));
    } finally {
      running.current = false;
      setBusy(false);
    }
  };
  return { busy, problem, run: (work) => void run(work), forget: () => setProblem(undefined) };
}
