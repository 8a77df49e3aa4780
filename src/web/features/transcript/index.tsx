import { type KeyboardEvent, type ReactNode, useCallback, useEffect, useRef, useState } from 'react';
import { useBackend, useBackendConfig } from '#web/backend/client.ts';
import { readTranscript } from '#web/backend/interviews.ts';
import { isRetryable } from '#web/submission/outbox/entry.ts';
import { getContributionClient } from '#web/submission/contribution-client.ts';
import { findRecording } from '#web/submission/files.ts';
import { useFlow, useStep } from '#web/submission/flow.ts';
import { findLateWords, hasLateWords, noteLateWords, watchLateWords } from '#web/submission/late-words.ts';
import { isLocalId, numericId } from '#web/submission/local-id.ts';
import { type KeepHandle, useKeepOnDevice } from '#web/submission/outbox/use-keep-on-device.ts';
import { type EditedOutcome, saveEditedTranscript } from '#web/submission/saving.ts';
import { limitMessage } from '#web/submission/texts.ts';
import { useLeaveWarning, useRunningWork, useShown } from '#web/submission/use-running-work.ts';
import { useSubmission } from '#web/submission/use-submission.ts';
import { Button } from '#web/ui/button.tsx';
import { Field } from '#web/ui/field.tsx';
import { TextArea } from '#web/ui/text-area.tsx';
import { FlowScreen } from '#web/ui/flow-screen.tsx';
import { KeepOnDevice } from '#web/ui/keep-on-device.tsx';
import { Player } from '#web/ui/player/player.tsx';
import { type ShowToast, useClearMessage, useToast } from '#web/ui/toast.tsx';
import { texts } from './texts.ts';

/** §2.7 */
export function TranscriptEditScreen(): ReactNode {
  const { go, state, way, topic } = useFlow();
  const step = useStep('transcript');
  const { currentId, exchangeIfKnown } = useSubmission();
  const [first] = useState(currentId);
  const interviewId = first === undefined ? undefined : exchangeIfKnown(first);
  const draft = useTranscriptDraft(interviewId);
  const keeping = useKeepOnDevice(interviewId);
  const { saving, submit } = useSubmitTranscript(interviewId, keeping);
  const limit = useBackendConfig().limits.transcriptCharacters;
  useEndOfLocalHint(interviewId, saving);
  useRunningWork(saving);
  useLeaveWarning(interviewId !== undefined);
  useEntryWarnings(draft.text, interviewId);
  if (draft.text === undefined) return null;

  const text = draft.text;
  const recording = findRecording(state.audioUrl);
  const tooLong = text.length > limit;
  const submitByKey = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey) && !tooLong) void submit(text);
  };
  /** Without the id: the interview knows its own, and a new one must not take this row. */
  const back = (): void =>
    way === 'interview' && topic !== undefined
      ? go({ to: 'interview', topic })
      : go({ to: 'voice-message', state: { interviewId, transcript: text } });
  return (
    <FlowScreen
      step={step}
      title={texts.heading}
      lead={state.transcript === '' ? texts.leadEmpty : texts.lead}
      summary={<ContentId id={interviewId} />}
      onBack={saving ? undefined : back}
      primary={
        <Button
          busy={saving}
          busyLabel={texts.saving}
          disabled={tooLong || text.trim() === ''}
          onClick={() => void submit(text)}
        >
          {texts.next}
        </Button>
      }
    >
      {recording !== undefined && <KeptRecording recording={recording} />}
      <Field
        label={texts.label}
        error={tooLong ? texts.overLimit(limit) : undefined}
        aside={<span className="tabular text-sm text-muted">{texts.count(text.length, limit)}</span>}
      >
        <TextArea
          className="min-h-72 sm:min-h-96"
          placeholder={texts.placeholder}
          value={text}
          readOnly={saving}
          onChange={(event) => draft.change(event.target.value)}
          onKeyDown={submitByKey}
        />
      </Field>
      {interviewId !== undefined && (isLocalId(interviewId) || keeping.entry !== undefined) && (
        <KeepOnDevice
          state={keeping.state}
          onKeep={() => void keeping.keep(text.trim() === '' ? [] : [{ kind: 'transcript', text }])}
          outboxHref="/ausgangskorb"
        />
      )}
    </FlowScreen>
  );
}

function ContentId({ id }: Readonly<{ id: string | undefined }>): ReactNode {
  return (
    <p>
      {id === undefined ? texts.noId.title : `${texts.contentId}: `}
      {id !== undefined && <span className="tabular break-all text-ink">{id}</span>}
    </p>
  );
}

/** §2.7, §5: without a transcript there is nothing to edit; without an id the user is warned and goes on. */
function useEntryWarnings(text: string | undefined, interviewId: string | undefined): void {
  const { area, go } = useFlow();
  const toast = useToast();
  const said = useRef(false);
  useEffect(() => {
    if (said.current) return;
    said.current = true;
    if (text === undefined) {
      toast({ ...texts.none, variant: 'caution' });
      go({ to: area.variant === 'test' ? 'voice-message' : 'modern-interview', replace: true });
    } else if (interviewId === undefined) {
      toast({ ...texts.noId, variant: 'caution' });
    }
  }, [text, interviewId, area, go, toast]);
}

/** §8's hint of a local id is over once the contribution has its number, unless something else was said since. */
function useEndOfLocalHint(interviewId: string | undefined, saving: boolean): void {
  const clearMessage = useClearMessage();
  const local = interviewId !== undefined && isLocalId(interviewId);
  const waits = useRef(local);
  useEffect(() => {
    if (waits.current && !saving && !local) clearMessage();
    waits.current &&= !saving && local;
  }, [local, saving, clearMessage]);
}

/** To listen while correcting. */
function KeptRecording({ recording }: Readonly<{ recording: Blob }>): ReactNode {
  return (
    <div className="flex flex-col gap-1.5">
      <p className="text-sm font-medium">{texts.listen}</p>
      <Player kind="audio" src={recording} size={recording.size} name={texts.listen} />
    </div>
  );
}

function describeOutcome(outcome: EditedOutcome): Parameters<ShowToast>[0] {
  if (outcome.kind !== 'partial') return outcome.kind === 'kept' ? texts.kept : { ...texts.saved, variant: 'good' };
  const limit = outcome.errors.map(limitMessage).find((message) => message !== undefined);
  return limit === undefined ? texts.partial : { ...limit, variant: 'destructive' };
}

/** What was handed in last of each contribution: an earlier text whose saving ends after it must not replace it. */
const handedIn = new Map<string, object>();

/** Saves the text; one that may still arrive later goes by the outbox (decision 0352). */
function useSaveTranscript(interviewId: string | undefined, keeping: KeepHandle) {
  const backend = useBackend();
  const { ensureId } = useSubmission();
  const toast = useToast();
  return async (transcript: string): Promise<void> => {
    if (interviewId === undefined) return toast(texts.noId);
    const mine = {};
    handedIn.set(interviewId, mine);
    // What has begun to go by the outbox goes on that way, or an older text would arrive after this one.
    const keep = (id?: string) => keeping.keep([{ kind: 'transcript', text: transcript }], id);
    if (keeping.entry !== undefined && (await keep())) return toast(texts.inOutbox);
    const { id } = await ensureId('voice', interviewId).catch(() => ({ id: interviewId }));
    const edit = { interviewId: id, transcript, now: new Date() };
    const outcome = await saveEditedTranscript(getContributionClient(backend, id), edit);
    if (handedIn.get(interviewId) !== mine) return;
    const kept = outcome.kind === 'partial' && outcome.errors.some(isRetryable) && (await keep(id));
    toast(kept ? { ...texts.inOutbox, variant: 'caution' } : describeOutcome(outcome));
  };
}

/**
 * §4 'Transcript edit': saves and moves on, even where saving only partly worked. Ignores a second submit. Saving goes
 * on when the screen is left.
 */
function useSubmitTranscript(interviewId: string | undefined, keeping: KeepHandle) {
  const { go } = useFlow();
  const { store } = useSubmission();
  const toast = useToast();
  const clearMessage = useClearMessage();
  const busy = useRef(false);
  const shown = useShown();
  const [saving, setSaving] = useState(false);
  const save = useSaveTranscript(interviewId, keeping);
  const submit = async (transcript: string): Promise<void> => {
    if (busy.current) return;
    if (transcript.trim() === '') return toast({ ...texts.nothing, variant: 'destructive' });
    busy.current = true;
    clearMessage();
    setSaving(true);
    try {
      store.keepTranscript(transcript, interviewId);
      await save(transcript);
      if (shown.current) go({ to: 'image-upload-after-voice', state: { interviewId } });
    } catch (error) {
      console.error('transcript: not submitted', error instanceof Error ? error.name : '');
      toast({ ...(limitMessage(error) ?? texts.failed), variant: 'destructive' });
    } finally {
      busy.current = false;
      setSaving(false);
    }
  };
  return { saving, submit };
}

/**
 * `text`: undefined where there is no transcript at all; '' is one still to be typed.
 * Every keystroke is kept in browser storage, so that a reload or a way back loses nothing. What an interview's server
 * understands only now is added.
 */
function useTranscriptDraft(interviewId: string | undefined) {
  const { state, way } = useFlow();
  const { store } = useSubmission();
  const [text, setText] = useState(() => {
    const draft = store.transcript(interviewId);
    const isFromHere = interviewId !== undefined && store.transcriptInterviewId() === interviewId;
    // A text that was begun in another tab may be older than the one that was handed over, but is better than none.
    return isFromHere || state.transcript === '' ? (draft ?? state.transcript) : (state.transcript ?? draft);
  });
  const change = useCallback(
    (next: string) => {
      setText(next);
      store.keepTranscript(next, interviewId);
    },
    [store, interviewId],
  );
  const backend = useBackend();
  const shown = useRef(text);
  useEffect(() => void (shown.current = text));
  useEffect(() => {
    const [before, id] = [state.transcript, numericId(interviewId)];
    // Words that were added here before may have been corrected or removed since.
    if (way !== 'interview' || before === undefined || id === undefined || hasLateWords({ id, before }))
      return undefined;
    return watchLateWords(
      () => readTranscript(getContributionClient(backend, String(id)), id),
      (known) => {
        const late = findLateWords(before, known);
        if (late === '') return false;
        const text = shown.current ?? '';
        if (!text.includes(late.trim())) change(text + late);
        noteLateWords({ id, before });
        return true;
      },
    );
  }, [backend, way, state.transcript, interviewId, change]);
  return { text, change };
}
