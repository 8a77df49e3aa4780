import { useCallback, useEffect, useRef, useState } from 'react';
import { TRANSCRIPT_AUTOSAVE_MS } from '#contract/limits.ts';
import { useBackend } from '#web/backend/client.ts';
import { BackendError } from '#web/backend/errors.ts';
import { getContributionClient } from '#web/submission/keys.ts';
import { limitMessage } from '#web/submission/texts.ts';
import type { KeepHandle } from '#web/submission/outbox/use-keep-on-device.ts';
import { saveSpokenTranscript, type SpokenOutcome } from '#web/submission/saving.ts';
import { useSubmission } from '#web/submission/use-submission.ts';
import { useToast } from '#web/ui/toast.tsx';
import { texts } from './texts.ts';
import type { InterviewIds } from './use-interview.ts';

export type SavedTranscriptOptions = Readonly<{
  active: boolean;
  transcript: string;
  ids: InterviewIds;
  /** Takes the transcript where the user has chosen the outbox. */
  keeping: KeepHandle;
}>;

/** `unsaved`: saving failed. `kept`: only in this browser. */
type SaveState = 'open' | 'saved' | 'kept' | 'unsaved';

/** `saveEdit` writes an edited text at once and tells whether the editor may close. It never rejects. */
type SavedTranscript = Readonly<{ saveState: SaveState; saveEdit: (text: string) => Promise<boolean> }>;

/**
 * Saves the transcript 1 s after the end and after every later change, unless it is empty or saved (§4). Keeps it in
 * the browser's storage all the time, and saves at once when the screen is left.
 */
export function useSavedTranscript({ active, transcript, ids, keeping }: SavedTranscriptOptions): SavedTranscript {
  const backend = useBackend();
  const { store } = useSubmission();
  const toast = useToast();
  /** The last text saved or tried, so that an error is reported once. */
  const saved = useRef('');
  const latest = useRef('');
  /** New words since then; an edited text has its own toast. */
  const spoken = useRef(false);
  const [saveState, setSaveState] = useState<SaveState>('open');
  const outbox = useRef(keeping);
  useEffect(() => {
    outbox.current = keeping;
  });

  const save = useCallback(
    async (text: string): Promise<SpokenOutcome | undefined> => {
      saved.current = text;
      const id = await ids.ensure();
      if (id === undefined) return undefined;
      store.keepTranscript(text, id);
      const { entry, keep } = outbox.current;
      if (entry !== undefined && (await keep([{ kind: 'transcript', text }], id))) return 'saved';
      return saveSpokenTranscript(getContributionClient(backend, id), id, text, new Date());
    },
    [backend, ids, store],
  );

  useEffect(() => {
    latest.current = transcript;
    spoken.current ||= active;
    if (transcript.trim() === '') return undefined;
    store.keepTranscript(transcript);
    if (active || transcript === saved.current) return undefined;
    const first = saved.current === '';
    const report = (outcome: SpokenOutcome | undefined): void => {
      setSaveState(toSaveState(outcome));
      if (!spoken.current) return;
      spoken.current = false;
      if (outcome === 'saved') toast({ ...(first ? texts.saved : texts.updated), variant: 'good' });
      if (outcome === 'kept') toast(texts.keptLocally);
    };
    const refuse = (error: unknown): void => {
      setSaveState('unsaved');
      toast({ ...getErrorText(error), variant: 'destructive' });
    };
    const timer = setTimeout(() => void save(transcript).then(report, refuse), TRANSCRIPT_AUTOSAVE_MS);
    return () => clearTimeout(timer);
  }, [active, transcript, save, store, toast]);

  const saveEdit = async (text: string): Promise<boolean> => {
    spoken.current = false;
    try {
      const outcome = await save(text);
      setSaveState(toSaveState(outcome));
      // Without an id `ensure` has said so.
      if (outcome === undefined) return false;
      toast(outcome === 'kept' ? texts.keptLocally : { ...texts.edited, variant: 'good' });
      return true;
    } catch (error) {
      setSaveState('unsaved');
      toast({ ...getErrorText(error), variant: 'destructive' });
      return false;
    }
  };

  const saveOnLeave = useRef(save);
  useEffect(() => {
    saveOnLeave.current = save;
  }, [save]);
  useEffect(
    () => () => {
      const text = latest.current;
      if (text.trim() === '' || text === saved.current) return;
      saveOnLeave.current(text).catch((error: unknown) => {
        console.warn('interview: not saved on leaving', error instanceof Error ? error.name : '');
      });
    },
    [],
  );
  return { saveState, saveEdit };
}

function toSaveState(outcome: SpokenOutcome | undefined): SaveState {
  if (outcome === undefined) return 'unsaved';
  return outcome === 'kept' ? 'kept' : 'saved';
}

function getErrorText(error: unknown): Readonly<{ title: string; description: string }> {
  const answered = error instanceof BackendError && (error.kind === 'failed' || error.kind === 'schema');
  return limitMessage(error) ?? (answered ? texts.databaseError : texts.notSaved);
}
