import { useCallback, useEffect, useRef, useState } from 'react';
import { TRANSCRIPT_AUTOSAVE_MS } from '#contract/limits.ts';
import { useBackend } from '#web/backend/client.ts';
import { BackendError } from '#web/backend/errors.ts';
import { limitMessage } from '#web/submission/limit-texts.ts';
import type { KeepHandle } from '#web/submission/outbox/use-keep-on-device.ts';
import { saveSpokenTranscript, type SpokenOutcome } from '#web/submission/transcripts.ts';
import { useSubmission } from '#web/submission/use-submission.ts';
import { useToast } from '#web/ui/toast.tsx';
import { texts } from './texts.ts';
import type { InterviewIds } from './use-interview.ts';

export type SavedTranscriptOptions = Readonly<{
  active: boolean;
  transcript: string;
  ids: InterviewIds;
  /** Where the user has chosen the outbox, the transcript goes there. */
  keeping: KeepHandle;
}>;

/** Where the transcript is: unsaved after a failure, kept in this browser only. */
type Whereabouts = 'open' | 'saved' | 'kept' | 'unsaved';

/**
 * §4: 1 s after the end the transcript is saved once, unless it is empty or saved already; so is every change while no
 * interview is active. It is in the browser's storage all the time, and whoever leaves sooner saves by leaving.
 */
export function useSavedTranscript({ active, transcript, ids, keeping }: SavedTranscriptOptions): Whereabouts {
  const backend = useBackend();
  const { store } = useSubmission();
  const toast = useToast();
  /** What was saved last, or tried: a failure is said once, not every second. */
  const saved = useRef('');
  const latest = useRef('');
  /** Something was said since then; an edited text has been confirmed by the click that saved it. */
  const spoken = useRef(false);
  const [whereabouts, setWhereabouts] = useState<Whereabouts>('open');
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
      return saveSpokenTranscript(backend, id, text, new Date());
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
      setWhereabouts(outcome === undefined ? 'unsaved' : outcome === 'kept' ? 'kept' : 'saved');
      if (!spoken.current) return;
      spoken.current = false;
      if (outcome === 'saved') toast({ ...(first ? texts.saved : texts.updated), variant: 'good' });
      if (outcome === 'kept') toast(texts.keptLocally);
    };
    const refuse = (error: unknown): void => {
      setWhereabouts('unsaved');
      toast({ ...textOf(error), variant: 'destructive' });
    };
    const timer = setTimeout(() => void save(transcript).then(report, refuse), TRANSCRIPT_AUTOSAVE_MS);
    return () => clearTimeout(timer);
  }, [active, transcript, save, store, toast]);

  const leave = useRef(save);
  useEffect(() => {
    leave.current = save;
  }, [save]);
  useEffect(
    () => () => {
      const text = latest.current;
      if (text.trim() === '' || text === saved.current) return;
      leave.current(text).catch((error: unknown) => {
        console.warn('interview: not saved on leaving', error instanceof Error ? error.name : '');
      });
    },
    [],
  );
  return whereabouts;
}

function textOf(error: unknown): Readonly<{ title: string; description: string }> {
  const answered = error instanceof BackendError && (error.kind === 'failed' || error.kind === 'schema');
  return limitMessage(error) ?? (answered ? texts.databaseError : texts.notSaved);
}
