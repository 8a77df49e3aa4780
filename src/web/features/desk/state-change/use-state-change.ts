import { useRef, useState } from 'react';
import type { DeskChange, DeskContribution, DeskItem, DeskState } from '#contract/desk.ts';
import { getDeskProblem, type DeskProblem } from '#web/backend/desk-error.ts';
import { toDeskItem } from '../listing.ts';
import { useDesk } from '../use-desk.ts';

/** What has to be asked first: the words of the mail, the link. */
type Asking = Readonly<{ kind: 'none' }> | Readonly<{ kind: 'mail' | 'link'; item: DeskItem }>;

/** Why the last change did not happen; after a conflict `fresh` is what holds now. */
export type ChangeError = Readonly<{ code: DeskProblem; current: DeskContribution | undefined }>;

export type StateChange = Readonly<{
  asking: Asking;
  busy: boolean;
  error: ChangeError | undefined;
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
  onMissing: (id: number) => void;
}>;

/** Changes to one contribution, one at a time. */
export function useStateChange({ onChanged, onMissing }: After): StateChange {
  const desk = useDesk();
  const [asking, setAsking] = useState<Asking>(NOTHING);
  const [error, setError] = useState<ChangeError>();
  const [busy, setBusy] = useState(false);
  const running = useRef(false);
  const loadCurrent = async (id: number): Promise<DeskContribution | undefined> => {
    const current = await desk.contribution(id, new AbortController().signal).catch(() => undefined);
    if (current === undefined) return undefined;
    onChanged(current);
    setAsking((before) => (before.kind === 'none' ? before : { ...before, item: toDeskItem(current) }));
    return current;
  };
  const run = async (item: DeskItem, change: DeskChange): Promise<boolean> => {
    if (running.current) return false;
    running.current = true;
    setBusy(true);
    setError(undefined);
    try {
      onChanged(await desk.change(item.id, item.version, change));
      setAsking(NOTHING);
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
    if (state === 'for_review') setAsking({ kind: 'mail', item });
    else if (state === 'published') setAsking({ kind: 'link', item });
    else void run(item, { state });
  };
  const close = (): void => {
    setAsking(NOTHING);
    setError(undefined);
  };
  return { asking, busy, error, begin, run, close };
}
