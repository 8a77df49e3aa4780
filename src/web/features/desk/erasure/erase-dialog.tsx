import { useRef, useState, type ReactNode, type SubmitEvent } from 'react';
import type { ErasureAnswer } from '#contract/desk-files.ts';
import { getDeskProblem, type DeskProblem } from '#web/backend/desk-error.ts';
import { Button } from '#web/ui/button.tsx';
import { Dialog } from '#web/ui/dialog.tsx';
import { ProblemNotice } from '../notices.tsx';
import { deskTexts } from '../texts.ts';
import { erasureTexts as texts } from './texts.ts';

type EraseDialogProps = Readonly<{
  title: string;
  description: string;
  /** The sentence to agree to. */
  understood: string;
  confirm: string;
  busy: boolean;
  problem: DeskProblem | undefined;
  onConfirm: () => void;
  onClose: () => void;
  /** Further choices. */
  children?: ReactNode;
}>;

/** Asks for agreement and a click before an erasure, which cannot be undone. */
export function EraseDialog(props: EraseDialogProps): ReactNode {
  const { title, description, busy, onClose } = props;
  return (
    <Dialog open onOpenChange={(next) => !next && !busy && onClose()} title={title} description={description}>
      <EraseForm {...props} />
    </Dialog>
  );
}

function EraseForm({ understood, confirm, busy, problem, onConfirm, onClose, children }: EraseDialogProps): ReactNode {
  const [agreed, setAgreed] = useState(false);
  const [submitted, setSubmitted] = useState(false);
  const submit = (event: SubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    setSubmitted(true);
    if (agreed && !busy) onConfirm();
  };
  return (
    <form noValidate onSubmit={submit} className="flex flex-col gap-4">
      {problem !== undefined && <ProblemNotice problem={problem} />}
      {children}
      <label className="touch flex cursor-pointer items-center gap-3 rounded-control border border-line-strong px-3.5 py-2.5 has-checked:border-record has-checked:bg-record-wash">
        <input
          type="checkbox"
          checked={agreed}
          onChange={(event) => setAgreed(event.target.checked)}
          className="size-5 shrink-0 accent-record"
        />
        {understood}
      </label>
      {submitted && !agreed && (
        <p role="alert" className="text-sm text-record-ink">
          {texts.understood}
        </p>
      )}
      <div className="flex flex-col-reverse gap-2 sm:flex-row sm:justify-end">
        <Button variant="secondary" disabled={busy} onClick={onClose}>
          {deskTexts.cancel}
        </Button>
        <Button type="submit" variant="danger" busy={busy} busyLabel={deskTexts.working}>
          {confirm}
        </Button>
      </div>
    </form>
  );
}

type Erasure = Readonly<{
  busy: boolean;
  problem: DeskProblem | undefined;
  run: (work: () => Promise<ErasureAnswer>) => void;
  reset: () => void;
}>;

/** Runs one erasure at a time. A recorded one counts as running, because the server finishes it. */
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
      setProblem(getDeskProblem(error));
    } finally {
      running.current = false;
      setBusy(false);
    }
  };
  return { busy, problem, run: (work) => void run(work), reset: () => setProblem(undefined) };
}
