import type { MutationScope } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import type { DeskChange, DeskContribution, DeskItem, DeskState } from '#contract/desk.ts';
import { type DeskProblem, getDeskProblem } from '#web/backend/desk.ts';
import { toDeskItem } from '../listing.ts';
import { useDesk, useDeskAction } from '../use-desk.tsx';

/** The open dialog: the mail's text or the link. */
type OpenDialog = Readonly<{ kind: 'none' }> | Readonly<{ kind: 'mail' | 'link'; item: DeskItem }>;

/** Why the last change failed; after a conflict `current` is the stored state. */
export type ChangeError = Readonly<{ code: DeskProblem; current: DeskContribution | undefined }>;

export type StateChange = ReturnType<typeof useStateChange>;

const NO_DIALOG: OpenDialog = { kind: 'none' };

const DIALOGS: Partial<Record<DeskState, 'mail' | 'link'>> = { for_review: 'mail', published: 'link' };

type After = Readonly<{
  /** Receives the stored state after a change or a conflict. */
  onChanged: (contribution: DeskContribution) => void;
  /** Another administrator erased it. */
  onMissing: (id: number) => void;
  /** Changes of one scope go one after the other. */
  scope?: MutationScope;
}>;

/** `item`: as it was when somebody chose the change. */
type Request = Readonly<{ item: DeskItem; change: DeskChange }>;

/** Replaces the dialog's item: the answer to a change may come while the dialog of another contribution is open. */
function withItem(dialog: OpenDialog, item: DeskItem): OpenDialog {
  return dialog.kind === 'none' || dialog.item.id !== item.id ? dialog : { ...dialog, item };
}

/** Whether the dialog sent this change. */
function isOfDialog({ item, change }: Request, dialog: OpenDialog): boolean {
  return (
    dialog.kind !== 'none' && dialog.item.id === item.id && 'state' in change && DIALOGS[change.state] === dialog.kind
  );
}

/** The failure of another contribution's change waits until the dialog is closed. */
function isElsewhere(dialog: OpenDialog, request: Request | undefined): boolean {
  return dialog.kind !== 'none' && dialog.item.id !== request?.item.id;
}

/**
 * `runInTurn` runs a change when those begun before are done; after one that fails the rest is left. `remember` keeps
 * what a change has made of its item, for the next change of the same one.
 */
function useTurns() {
  const stored = useRef(new Map<number, DeskItem>());
  const waiting = useRef<readonly Request[]>([]);
  const runInTurn = async (begun: Request, run: (request: Request) => Promise<boolean>): Promise<void> => {
    waiting.current = [...waiting.current, begun];
    if (waiting.current.length > 1) return;
    for (let [first] = waiting.current; first !== undefined; [first] = waiting.current) {
      const { change } = first;
      const known = stored.current.get(first.item.id);
      const item = known !== undefined && known.version > first.item.version ? known : first.item;
      // oxlint-disable-next-line no-await-in-loop -- each change may need the version that the one before made
      const done = isMade(item, change) || (await run({ item, change }));
      // The screen says why it failed; what was begun after it would take that away.
      waiting.current = done ? waiting.current.slice(1) : [];
    }
  };
  return { runInTurn, remember: (item: DeskItem) => void stored.current.set(item.id, item) };
}

function isMade(item: DeskItem, change: DeskChange): boolean {
  if ('state' in change) return change.state === item.state;
  return 'assignee' in change && change.assignee === item.assignee;
}

/** Changes one contribution, one request at a time. */
export function useStateChange({ onChanged, onMissing, ...options }: After) {
  const desk = useDesk();
  const [dialog, setDialog] = useState<OpenDialog>(NO_DIALOG);
  const [current, setCurrent] = useState<DeskContribution>();
  const { runInTurn, remember } = useTurns();
  const loadCurrent = async (id: number): Promise<void> => {
    const found = await desk.contribution(id, new AbortController().signal).catch(() => undefined);
    setCurrent(found);
    if (found === undefined) return;
    onChanged(found);
    setDialog((before) => withItem(before, toDeskItem(found)));
  };
  const { run, busy, error, input, reset } = useDeskAction({
    ...options,
    mutationFn: ({ item, change }: Request) => desk.change(item.id, item.version, change),
    onSuccess: (changed, request) => {
      remember(toDeskItem(changed));
      onChanged(changed);
      setDialog((before) => (isOfDialog(request, before) ? NO_DIALOG : withItem(before, toDeskItem(changed))));
    },
    onError: async (code, { item }) => {
      if (code === 'conflict') await loadCurrent(item.id);
      if (code === 'missing') onMissing(item.id);
    },
  });
  /** Makes a change after those begun before, or opens the dialog that its state needs. */
  const begin = (item: DeskItem, change: DeskChange): void => {
    reset();
    const kind = 'state' in change ? DIALOGS[change.state] : undefined;
    if (kind !== undefined) return setDialog({ kind, item });
    void runInTurn({ item, change }, run);
  };
  const close = (): void => {
    setDialog(NO_DIALOG);
    if (failure !== undefined) reset();
  };
  const failure = error === null || isElsewhere(dialog, input) ? undefined : { code: getDeskProblem(error), current };
  const runNow = (item: DeskItem, change: DeskChange): Promise<boolean> => run({ item, change });
  return { dialog, busy, error: failure, begin, run: runNow, close };
}
