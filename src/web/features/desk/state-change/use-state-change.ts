import type { MutationScope } from '@tanstack/react-query';
import { useState } from 'react';
import type { DeskChange, DeskContribution, DeskItem, DeskState } from '#contract/desk.ts';
import { type DeskProblem, getDeskProblem } from '#web/backend/desk.ts';
import { useAction } from '#web/backend/server-state.tsx';
import { toDeskItem } from '../listing.ts';
import { useDesk } from '../use-desk.tsx';

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

const DIALOGS: Partial<Record<DeskState, 'mail' | 'link'>> = { for_review: 'mail', published: 'link' };

type After = Readonly<{
  /** Receives the stored state after a change or a conflict. */
  onChanged: (contribution: DeskContribution) => void;
  /** Another administrator erased it. */
  onMissing: (id: number) => void;
  /** Changes of one scope go one after the other. */
  scope?: MutationScope;
}>;

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

/** Changes one contribution, one request at a time. */
export function useStateChange({ onChanged, onMissing, ...options }: After): StateChange {
  const desk = useDesk();
  const [dialog, setDialog] = useState<OpenDialog>(NO_DIALOG);
  const [current, setCurrent] = useState<DeskContribution>();
  const loadCurrent = async (id: number): Promise<void> => {
    const found = await desk.contribution(id, new AbortController().signal).catch(() => undefined);
    setCurrent(found);
    if (found === undefined) return;
    onChanged(found);
    setDialog((before) => withItem(before, toDeskItem(found)));
  };
  const { run, busy, error, input, reset } = useAction({
    ...options,
    mutationFn: ({ item, change }: Request) => desk.change(item.id, item.version, change),
    onMutate: () => setCurrent(undefined),
    onSuccess: (changed, request) => {
      onChanged(changed);
      setDialog((before) => (isOfDialog(request, before) ? NO_DIALOG : withItem(before, toDeskItem(changed))));
    },
    onError: async (thrown, { item }) => {
      const code = getDeskProblem(thrown);
      if (code === 'conflict') await loadCurrent(item.id);
      if (code === 'missing') onMissing(item.id);
    },
  });
  const begin = (item: DeskItem, state: DeskState): void => {
    reset();
    const kind = DIALOGS[state];
    if (kind === undefined) void run({ item, change: { state } });
    else setDialog({ kind, item });
  };
  const close = (): void => {
    setDialog(NO_DIALOG);
    if (failure !== undefined) reset();
  };
  // The failure of another contribution's change waits until the dialog is closed.
  const elsewhere = dialog.kind !== 'none' && dialog.item.id !== input?.item.id;
  const failure = error === null || elsewhere ? undefined : { code: getDeskProblem(error), current };
  return { dialog, busy, error: failure, begin, run: (item, change) => run({ item, change }), close };
}
