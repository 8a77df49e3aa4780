import { useRef, useState } from 'react';
import type { SpokenSegment } from '#contract/spoken.ts';
import { useBackendConfig, useBackendLoader } from '#web/backend/client.ts';
import { makeAudioAddress } from '#web/submission/files.ts';
import { type FlowState, useFlow } from '#web/submission/flow.ts';
import { isLocalId } from '#web/submission/local-id.ts';
import { openSending } from '#web/submission/load-sending.ts';
import { useKeepOnDevice } from '#web/submission/outbox/use-keep-on-device.ts';
import { inMegabytes, limitInWords } from '#web/submission/texts.ts';
import { useShown } from '#web/submission/use-running-work.ts';
import { useSubmission } from '#web/submission/use-submission.ts';
import { type ShowToast, useClearMessage, useToast } from '#web/ui/toast.tsx';
import { audioFile, deliverTranscript, trySendAudio, sendAudio } from './deliver.ts';
import type { Recording } from './recording/state.ts';
import { RECORDING_TEXTS } from './recording/texts.ts';
import { texts } from './texts.ts';
import { TRANSCRIPTION_TEXTS, transcriptionMessage } from './transcription/texts.ts';
import type { TranscriptionError, TranscriptionResult } from './transcription/transcribe.ts';
import type { TranscriptionHandle } from './transcription/use-transcription.ts';

export type VoiceMessageParts = Readonly<{
  recording: Recording | undefined;
  transcription: Pick<TranscriptionHandle, 'run'>;
  /** What live recognition understood. */
  recognised: () => Promise<string>;
  /** Keeps the recording from being offered again meanwhile. */
  hold: () => () => void;
  /** Removes the recording from this device. */
  discard: () => void;
}>;

/** `sending`: the audio itself, 0–1. */
export type VoiceMessagePhase =
  | Readonly<{ status: 'idle' | 'transcribing' | 'saving' }>
  | Readonly<{ status: 'sending'; fraction: number }>;

const PERMANENT: readonly TranscriptionError['kind'][] = ['unavailable', 'missing-key', 'used-up'];

/**
 * The steps after the recording (§4 'Voice message'). After an error the recording stays and the step can be repeated.
 */
export function useVoiceMessage({ recording, transcription, recognised, hold, discard }: VoiceMessageParts) {
  const { limits } = useBackendConfig();
  const toast = useToast();
  const busy = useRef(false);
  const [phase, setPhase] = useState<VoiceMessagePhase>({ status: 'idle' });
  const [transcript, setTranscript] = useState<string>();
  const { delivery, keepState } = useDelivery(setPhase, discard);
  const { problem, retryable, report, reportFailure, clear } = useProblem(delivery.testArea);

  const transcribe = async (audio: Recording): Promise<void> => {
    setPhase({ status: 'transcribing' });
    const outcome = await transcription.run(audio, recognised);
    if (!outcome.ok) return report(outcome.error);
    setTranscript(outcome.text);
    await finishTranscription(delivery, audio, outcome);
  };
  const run = async (step: (audio: Recording) => Promise<void>): Promise<void> => {
    if (busy.current) return;
    if (recording === undefined) return toast(describeMissing(delivery.testArea));
    if (recording.bytes > limits.recordingBytes) return toast(describeTooLarge(recording.bytes, limits.recordingBytes));
    busy.current = true;
    clear();
    const letGo = hold();
    await step(recording).catch(reportFailure);
    letGo();
    busy.current = false;
    setPhase({ status: 'idle' });
  };
  /** For a new recording: drops the problem and the transcript of the last one. */
  const forget = () => {
    clear();
    setTranscript(undefined);
  };
  const submit = () => run(transcribe);
  const withoutTranscript = () => run((audio) => sendWithoutTranscript(delivery, audio));
  const keepThis = () => run((audio) => keepForLater(delivery, audio));
  const steps = { submit, withoutTranscript, keepForLater: keepThis, forget };
  return { phase, problem, retryable, transcript, keepState, ...steps };
}

/** The message for a step that failed, in the transcription or anywhere else. */
function useProblem(testArea: boolean) {
  const [problem, setProblem] = useState<Readonly<{ title: string; description: string }>>();
  /** False where the same step fails until the operator changes something. */
  const [retryable, setRetryable] = useState(true);
  const clearMessage = useClearMessage();
  const reportFailure = (error: unknown): void => {
    console.error('voice message: not delivered', error instanceof Error ? error.name : '');
    setProblem(TRANSCRIPTION_TEXTS.uploadFailed);
    setRetryable(true);
  };
  const report = (error: TranscriptionError): void => {
    if (error.kind === 'aborted') return;
    const generic = { title: TRANSCRIPTION_TEXTS.title, description: transcriptionMessage(error) };
    setProblem(testArea ? TRANSCRIPTION_TEXTS.failed : generic);
    setRetryable(!PERMANENT.includes(error.kind));
  };
  const clear = (): void => {
    clearMessage();
    setProblem(undefined);
  };
  return { problem, retryable, report, reportFailure, clear };
}

type Delivery = ReturnType<typeof useDelivery>['delivery'];

/** `keepState`: 'offered' where nothing can be sent now, and never 'kept': a new recording may replace the kept one. */
function useDelivery(setPhase: (phase: VoiceMessagePhase) => void, discard: () => void) {
  const config = useBackendConfig();
  const loadBackend = useBackendLoader();
  const { area, go } = useFlow();
  const { store, ensureId, currentId } = useSubmission();
  const keeping = useKeepOnDevice(currentId());
  const toast = useToast();
  const shown = useShown();
  const testArea = area.variant === 'test';
  const delivery = {
    config,
    openClient: async (interviewId: string) => (await openSending(loadBackend, interviewId)).client,
    testArea,
    keeping,
    toast,
    setPhase,
    discard,
    store,
    /** Makes the contribution where there is none; undefined where that failed. */
    ensureId: async (): Promise<string | undefined> => {
      try {
        const { id, source } = await ensureId('voice');
        if (source === 'local') toast(texts.localId);
        // The id also goes into this history entry: coming back here continues the same contribution.
        if (shown.current) go({ to: 'voice-message', state: { interviewId: id }, replace: true });
        return id;
      } catch {
        toast({ ...texts.idProblem, variant: 'destructive' });
        return undefined;
      }
    },
    /** Goes on to the transcript, unless the screen was left meanwhile. */
    goToEditor: (text: string, interviewId: string, audio: Recording): void => {
      if (!shown.current) return;
      const state: FlowState = { transcript: text, interviewId };
      go({ to: 'transcript-edit', state: testArea ? state : { ...state, audioUrl: makeAudioAddress(audio.blob) } });
    },
  };
  return { delivery, keepState: keeping.state === 'kept' ? ('offered' as const) : keeping.state };
}

/** Saves the transcript, and the recording with it where the operator keeps recordings. */
async function finishTranscription(
  { config, openClient, keeping, toast, setPhase, ...delivery }: Delivery,
  audio: Recording,
  { text, segments: spoken }: Extract<TranscriptionResult, { ok: true }>,
): Promise<void> {
  setPhase({ status: 'saving' });
  const interviewId = await delivery.ensureId();
  if (interviewId === undefined) return;
  delivery.store.keepTranscript(text, interviewId);
  const { keepRecordings } = config;
  const recordings = keepRecordings ? [toPart(interviewId, audio, spoken)] : [];
  const parts = [{ kind: 'transcript', text } as const, ...recordings];
  // A contribution that goes by the outbox continues that way, or an older text would arrive after this one. A
  // recording has no other way to a contribution without a row (decision 0357).
  const byOutbox = keeping.entry !== undefined || (keepRecordings && isLocalId(interviewId));
  const kept = byOutbox && (await keeping.keep(parts, interviewId));
  const report = kept
    ? { safe: true, message: texts.inOutbox }
    : await deliverTranscript(openClient, interviewId, text);
  const { safe, message } = report;
  if (message !== undefined) toast({ ...message, variant: safe ? 'good' : 'destructive' });
  const onProgress = (fraction: number) => setPhase({ status: 'sending', fraction });
  const sent = kept || !keepRecordings || (await trySendAudio(openClient, interviewId, audio, { onProgress, spoken }));
  if (keepRecordings && !kept && sent === true) delivery.store.keepRecorded(interviewId);
  const handedIn = sent === true || (sent === 'later' && (await keeping.keep(recordings, interviewId)));
  if (!handedIn) toast({ ...texts.audioNotSent, variant: 'destructive' });
  delivery.goToEditor(text, interviewId, audio);
  if (safe && handedIn) delivery.discard();
}

function toPart(interviewId: string, audio: Recording, spoken?: readonly SpokenSegment[]) {
  return { kind: 'recording', ...audioFile(interviewId, audio), spoken } as const;
}

async function sendWithoutTranscript(delivery: Delivery, audio: Recording): Promise<void> {
  const { setPhase, keeping, openClient } = delivery;
  const onProgress = (fraction: number) => setPhase({ status: 'sending', fraction });
  onProgress(0);
  const interviewId = await delivery.ensureId();
  if (interviewId === undefined) return;
  const byOutbox = keeping.entry !== undefined || isLocalId(interviewId);
  const kept = byOutbox && (await keeping.keep([toPart(interviewId, audio)], interviewId));
  const sent = !kept && (await sendAudio(openClient, interviewId, audio, { onProgress })) === 'sent';
  if (sent) delivery.store.keepRecorded(interviewId);
  const text = keepWritten(delivery, interviewId);
  if (sent) delivery.toast({ ...(text.trim() === '' ? texts.audioSent : texts.audioAdded), variant: 'good' });
  delivery.goToEditor(text, interviewId, audio);
  if (sent || kept) delivery.discard();
}

async function keepForLater(delivery: Delivery, audio: Recording): Promise<void> {
  delivery.setPhase({ status: 'saving' });
  const interviewId = await delivery.ensureId();
  if (interviewId === undefined) return;
  if (!(await delivery.keeping.keep([toPart(interviewId, audio)], interviewId))) return;
  delivery.goToEditor(keepWritten(delivery, interviewId), interviewId, audio);
  delivery.discard();
}

/** A recording without a transcript replaces no text that was written before (decision 0372). */
function keepWritten({ store }: Delivery, interviewId: string): string {
  const text = store.transcript(interviewId) ?? '';
  store.keepTranscript(text, interviewId);
  return text;
}

function describeTooLarge(bytes: number, most: number): Parameters<ShowToast>[0] {
  return { ...texts.tooLarge(inMegabytes(bytes, 1), limitInWords(most)), variant: 'destructive' };
}

function describeMissing(testArea: boolean): Readonly<{ title: string; description: string; variant: 'destructive' }> {
  const { title, description } = testArea ? RECORDING_TEXTS.noRecordingTest : RECORDING_TEXTS.noRecording;
  return { title, description, variant: 'destructive' };
}
