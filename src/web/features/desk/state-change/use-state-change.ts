import { useRef, useState } from 'react';
import type { DeskChange, DeskContribution, DeskItem, DeskState } from '#contract/desk.ts';
import { deskProblemOf, type DeskProblem } from '#web/backend/desk-error.ts';
import { rowOf } from '../listing.ts';
import { useDesk } from '../use-desk.ts';

/** What has to be asked first: the words of the mail, the link. */
type Asking = Readonly<{ kind: 'none' }> | Readonly<{ kind: 'mail' | 'link'; item: DeskItem }>;

/** Why the last change did not happen; after a conflict `fresh` is what holds now. */
export type Trouble = Readonly<{ problem: DeskProblem; fresh: DeskContribution | undefined }>;

export type StateChange = Readonly<{
  asking: Asking;
  busy: boolean;
  trouble: Trouble | undefined;
  /** Changes at once, or asks first. */
  begin: (item: DeskItem, state: DeskState) => void;
  run: (item: DeskItem, change: DeskChange) => Promise<boolean>;
  close: () => void;
}>;

const NOTHING: Asking = { kind: 'none' };

type After = Readonly<{
  /** What holds afterwards, also when somebody else was faster. */
  onChanged: (contribution: DeskContribution) => void;
  /** Somebody erased it meanwhile. */
  onGone: (id: number) => void;
}>;

/** Changes to one contribution, one at a time. */
export function useStateChange({ onChanged, onGone }: After): StateChange {
  const desk = useDesk();
  const [asking, setAsking] = useState<Asking>(NOTHING);
  const [trouble, setTrouble] = useState<Trouble>();
  const [busy, setBusy] = useState(false);
  const running = useRef(false);
  const afterConflict = async (id: number): Promise<DeskContribution | undefined> => {
    const fresh = await desk.contribution(id, new AbortController().signal).catch(() => undefined);
    if (fresh === undefined) return undefined;
    onChanged(fresh);
    setAsking((before) => (before.kind === 'none' ? before : { ...before, item: rowOf(fresh) }));
    return fresh;
  };
  const run = async (item: DeskItem, change: DeskChange): Promise<boolean> => {
    if (running.current) return false;
    running.current = true;
    setBusy(true);
    setTrouble(undefined);
    try {
      onChanged(await desk.change(item.id, item.version, change));
      setAsking(NOTHING);
      return true;
    } catch (error) {
      const problem = deskProblemOf(error);
      setTrouble({ problem, fresh: problem === 'conflict' ? await afterConflict(item.id) : undefined });
      if (problem === 'missing') onGone(item.id);
      return false;
    } finally {
      running.current = false;
      setBusy(false);
    }
  };
  const begin = (item: DeskItem, state: DeskState): void => {
    setTrouble(undefined);
    if (state === 'for_review') setAsking({ kind: 'mail', item });
    else if (state === 'published') setAsking({ kind: 'link', item });
    else void run(item, { state });
  };
  const close = (): void => {
    setAsking(NOTHING);
    setTrouble(undefined);
  };
  return { asking, busy, trouble, begin, run, close };
}
