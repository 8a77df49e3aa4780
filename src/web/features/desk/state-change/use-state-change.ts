import { useRef, useState } from 'react';
import type { DeskChange, DeskContribution, DeskItem, DeskState } from '#contract/desk.ts';
import { getDeskProblem, type DeskProblem } from '#web/backend/desk-error.ts';
import { toDeskItem } from '../listing.ts';
import { useDesk } from '../use-desk.ts';

/** The open dialog: the mail's text or the link. */
type OpenDialog = Readonly<{ kind: 'none' }> | Readonly<{ kind: 'mail' | 'link'; item: DeskItem }>;

/** Why the last change failed; after a conflict `current` is the stored state. */
export type ChangeError = Readonly<{ code: DeskProblem; current: DeskContribution | undefined }>;

export type StateChange = Readonly<{
  dialog: OpenDialog;
  busy: boolean;
  error: ChangeError | undefined;
  /** Changes the state, or opens the dialog that the state needs. */
  begin: (item: DeskItem, state: DeskState) => void;
  run: (item: DeskItem, change: DeskChange) => Promise<boolean>;
  close: () => void;
}>;

const NO_DIALOG: OpenDialog = { kind: 'none' };

type After = Readonly<{
  /** Receives the stored state after a change or a conflict. */
  onChanged: (contribution: DeskContribution) => void;
  /** Another administrator erased it. */
  onMissing: (id: number) => void;
}>;

/** Changes one contribution, one request at a time. */
export function useStateChange({ onChanged, onMissing }: After): StateChange {
  const desk = useDesk();
  const [dialog, setDialog] = useState<OpenDialog>(NO_DIALOG);
  const [error, setError] = useState<ChangeError>();
  const [busy, setBusy] = useState(false);
  const running = useRef(false);
  const loadCurrent = async (id: number): Promise<DeskContribution | undefined> => {
    const current = await desk.contribution(id, new AbortController().signal).catch(() => undefined);
    if (current === undefined) return undefined;
    onChanged(current);
    setDialog((before) => (before.kind === 'none' ? before : { ...before, item: toDeskItem(current) }));
    return current;
  };
  const run = async (item: DeskItem, change: DeskChange): Promise<boolean> => {
    if (running.current) return false;
    running.current = true;
    setBusy(true);
    setError(undefined);
    try {
      onChanged(await desk.change(item.id, item.version, change));
      setDialog(NO_DIALOG);
      return true;
    } catch (thrown) {
      const code = getDeskProblem(thrown);
      setError({ code, current: code === 'conflict' ? await loadCurrent(item.id) : undefined });
      if (code === 'missing') onMissing(item.id);
      return false;
    } finally {
      running.current = false;
      setBusy(false);
    }
  };
  const begin = (item: DeskItem, state: DeskState): void => {
    setError(undefined);
    if (state === 'for_review') setDialog({ kind: 'mail', item });
    else if (state === 'published') setDialog({ kind: 'link', item });
    else void run(item, { state });
  };
  const close = (): void => {
    setDialog(NO_DIALOG);
    setError(undefined);
  };
  return { dialog, busy, error, begin, run, close };
}
