import { useCallback, useEffect, useRef, useState, type RefObject } from 'react';
import { TRANSCRIPT_AUTOSAVE_MS } from '#contract/limits.ts';
import { useBackend } from '#web/backend/client.ts';
import { BackendError } from '#web/backend/errors.ts';
import { isRetryable } from '#web/submission/outbox/entry.ts';
import { getContributionClient } from '#web/submission/contribution-client.ts';
import { limitMessage } from '#web/submission/texts.ts';
import type { KeepHandle } from '#web/submission/outbox/use-keep-on-device.ts';
import { saveSpokenTranscript, type SpokenOutcome } from '#web/submission/saving.ts';
import { useSubmission } from '#web/submission/use-submission.ts';
import { useToast, type ShowToast } from '#web/ui/toast.tsx';
import { texts } from './texts.ts';
import type { InterviewIds } from './use-interview.ts';

export type SavedTranscriptOptions = Readonly<{
  active: boolean;
  transcript: string;
  /** The same with a correction and typed answers that are not in it yet, for a screen that is left. */
  complete: string;
  /** What the row has from an earlier visit of the screen. */
  savedBefore: string;
  ids: InterviewIds;
  /** Takes the transcript where the user has chosen the outbox. */
  keeping: KeepHandle;
}>;

/** `unsaved`: saving failed. `kept`: only in this browser. `saved`: in the outbox too, which has its own notice. */
type SaveState = 'open' | 'saved' | 'kept' | 'unsaved';

/** `saveEdit` writes an edited text at once and tells whether the editor may close. It never rejects. */
type SavedTranscript = Readonly<{
  saveState: SaveState;
  /** Whether the transcript as it is now has arrived, or lies in the outbox. */
  isSaved: boolean;
  saveEdit: (text: string) => Promise<boolean>;
}>;

/**
 * Saves the transcript 1 s after the end and after every later change, unless it is empty or saved (§4). Keeps it in
 * the browser's storage all the time, and saves at once when the screen is left. What could not be saved until then
 * goes by the outbox (decision 0352).
 */
export function useSavedTranscript({ active, ...options }: SavedTranscriptOptions): SavedTranscript {
  const { transcript, ids, savedBefore: savedText } = options;
  const { store } = useSubmission();
  const toast = useToast();
  const [result, setResult] = useState<SaveResult>({ saveState: 'open', savedText });
  const { save, saved } = useSave(options);
  /** New words since the last save; an edited text has its own toast. */
  const spoken = useRef(false);
  const refuse = useCallback((error: unknown) => toast({ ...getErrorText(error), variant: 'destructive' }), [toast]);

  useEffect(() => {
    spoken.current ||= active;
    if (transcript.trim() === '') return undefined;
    store.keepGrowing(transcript, ids.known());
    if (active || transcript === saved.current) return undefined;
    const isFirst = saved.current === '';
    const report = (outcome: SaveOutcome | undefined): void => {
      setResult(toResult(outcome, transcript));
      if (spoken.current && outcome !== undefined) toast(describeSave(outcome, isFirst ? texts.saved : texts.updated));
      spoken.current = false;
    };
    const fail = (error: unknown): void => {
      setResult(toResult(undefined, transcript));
      refuse(error);
    };
    const timer = setTimeout(() => void save(transcript).then(report, fail), TRANSCRIPT_AUTOSAVE_MS);
    return () => clearTimeout(timer);
  }, [active, transcript, ids, save, saved, store, toast, refuse]);

  const saveEdit = async (text: string): Promise<boolean> => {
    spoken.current = false;
    // Without an id `ensure` has said so.
    const outcome = (await save(text).catch(refuse)) ?? undefined;
    setResult(toResult(outcome, text));
    if (outcome !== undefined) toast(describeSave(outcome, texts.edited));
    return outcome !== undefined;
  };

  return { saveState: result.saveState, isSaved: result.savedText === transcript, saveEdit };
}

/** in-outbox: on this device, sent by itself once the backend is there. */
type SaveOutcome = SpokenOutcome | 'in-outbox';

type Save = (text: string) => Promise<SaveOutcome | undefined>;

type SaveHandle = Readonly<{
  save: Save;
  /** The last text saved or tried, so that an error is reported once. */
  saved: RefObject<string>;
  /** Puts the last text into the outbox where saving it failed and may work later. Tells whether it did. */
  keepUnsaved: () => Promise<boolean>;
}>;

type SaveOptions = Omit<SavedTranscriptOptions, 'active'>;

/** Saves what is called for, and the latest text once more when the screen is left. */
function useSave({ complete, savedBefore, ids, keeping }: SaveOptions): Pick<SaveHandle, 'save' | 'saved'> {
  const backend = useBackend();
  const { store } = useSubmission();
  const saved = useRef(savedBefore);
  /** Whether the last save failed in a way that may pass. */
  const isUnsaved = useRef(Promise.resolve(false));
  const outbox = useRef(keeping);
  useEffect(() => {
    outbox.current = keeping;
  });
  const write = useCallback<Save>(
    async (text) => {
      const id = await ids.ensure();
      if (id === undefined) return undefined;
      store.keepTranscript(text, id);
      const { entry, keep } = outbox.current;
      if (entry !== undefined && (await keep([{ kind: 'transcript', text }], id))) return 'in-outbox';
      return saveSpokenTranscript(getContributionClient(backend, id), id, text, new Date());
    },
    [backend, ids, store],
  );
  const save = useCallback<Save>(
    (text) => {
      saved.current = text;
      const writing = write(text);
      isUnsaved.current = writing.then(() => false, isRetryable);
      return writing;
    },
    [write],
  );
  const keepUnsaved = async (): Promise<boolean> => {
    if (!(await isUnsaved.current)) return false;
    const id = ids.known();
    // The next screen may have corrected it meanwhile.
    const corrected = id === undefined ? '' : (store.transcript(id)?.trim() ?? '');
    return outbox.current.keep([{ kind: 'transcript', text: corrected || saved.current }], id);
  };
  useSaveOnLeave(complete, { save, saved, keepUnsaved });
  return { save, saved };
}

function useSaveOnLeave(transcript: string, { save, saved, keepUnsaved }: SaveHandle): void {
  const toast = useToast();
  const leave = async (): Promise<void> => {
    if (transcript.trim() === '') return;
    if (transcript !== saved.current) await save(transcript).catch(warnOfFailure);
    if (await keepUnsaved()) toast({ ...texts.inOutbox, variant: 'caution' });
  };
  const latest = useRef(leave);
  useEffect(() => {
    latest.current = leave;
  });
  useEffect(() => () => void latest.current(), []);
}

function warnOfFailure(error: unknown): undefined {
  console.warn('interview: not saved on leaving', error instanceof Error ? error.name : '');
}

type Text = Readonly<{ title: string; description: string }>;

/** `saved`: the text where the database has it. */
function describeSave(outcome: SaveOutcome, saved: Text): Parameters<ShowToast>[0] {
  if (outcome === 'kept') return texts.keptLocally;
  return { ...(outcome === 'in-outbox' ? texts.inOutbox : saved), variant: 'good' };
}

type SaveResult = Readonly<{ saveState: SaveState; savedText: string | undefined }>;

function toResult(outcome: SaveOutcome | undefined, text: string): SaveResult {
  if (outcome === undefined) return { saveState: 'unsaved', savedText: undefined };
  return outcome === 'kept' ? { saveState: 'kept', savedText: undefined } : { saveState: 'saved', savedText: text };
}

function getErrorText(error: unknown): Text {
  const answered = error instanceof BackendError && (error.kind === 'failed' || error.kind === 'schema');
  return limitMessage(error) ?? (answered ? texts.databaseError : texts.notSaved);
}
