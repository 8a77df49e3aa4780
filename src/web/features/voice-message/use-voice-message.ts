import { useRef, useState } from 'react';
import { useBackend } from '#web/backend/client.ts';
import { makeAudioAddress } from '#web/submission/files.ts';
import { useFlow, type FlowState } from '#web/submission/flow.ts';
import { getContributionClient } from '#web/submission/keys.ts';
import { useKeepOnDevice } from '#web/submission/outbox/use-keep-on-device.ts';
import { useSubmission } from '#web/submission/use-submission.ts';
import { useToast } from '#web/ui/toast.tsx';
import { audioFile, megabytes, saveTranscript, sendAlong, sendAudio } from './deliver.ts';
import { RECORDING_TEXTS, type Recording } from './recording/index.ts';
import { texts } from './texts.ts';
import {
  transcriptionMessage,
  TRANSCRIPTION_TEXTS,
  type TranscriptionError,
  type TranscriptionHandle,
} from './transcription/index.ts';

export type VoiceMessageParts = Readonly<{
  recording: Recording | undefined;
  transcription: Pick<TranscriptionHandle, 'run'>;
  /** What live recognition understood. */
  recognised: () => Promise<string>;
  /** Removes the recording from this device. */
  discard: () => void;
}>;

/** `sending`: the audio itself, 0–1. */
export type VoiceMessagePhase =
  | Readonly<{ status: 'idle' | 'transcribing' | 'saving' }>
  | Readonly<{ status: 'sending'; fraction: number }>;

/**
 * What happens after the recording (§4 'Voice message'). Whatever fails, the recording stays and the step can be
 * repeated.
 */
export function useVoiceMessage({ recording, transcription, recognised, discard }: VoiceMessageParts) {
  const backend = useBackend();
  const { area, go } = useFlow();
  const { store, ensureId, currentId } = useSubmission();
  const keeping = useKeepOnDevice(currentId());
  const toast = useToast();
  const busy = useRef(false);
  const [phase, setPhase] = useState<VoiceMessagePhase>({ status: 'idle' });
  const [problem, setProblem] = useState<string>();
  const [transcript, setTranscript] = useState<string>();
  const test = area.variant === 'test';
  const { keepRecordings } = backend.config;

  const sending = (fraction: number): void => setPhase({ status: 'sending', fraction });
  /** The id also goes into this history entry: coming back here continues the same contribution. */
  const contentId = async (): Promise<string | undefined> => {
    try {
      const { id, origin } = await ensureId('voice');
      if (origin === 'local') toast(texts.localId);
      go({ to: 'voice-message', state: { interviewId: id }, replace: true });
      return id;
    } catch {
      toast({ ...texts.idProblem, variant: 'destructive' });
      return undefined;
    }
  };
  const edit = (text: string, interviewId: string, audio: Recording) => {
    const state: FlowState = { transcript: text, interviewId };
    go({ to: 'transcript-edit', state: test ? state : { ...state, audioUrl: makeAudioAddress(audio.blob) } });
  };
  const failed = (error: TranscriptionError) => {
    if (error.kind === 'aborted') return;
    const message = transcriptionMessage(error);
    setProblem(message);
    const generic = { title: TRANSCRIPTION_TEXTS.title, description: message };
    toast({ ...(test ? TRANSCRIPTION_TEXTS.failed : generic), variant: 'destructive' });
  };

  const transcribe = async (audio: Recording): Promise<void> => {
    setPhase({ status: 'transcribing' });
    const outcome = await transcription.run(audio, recognised);
    if (!outcome.ok) return failed(outcome.error);
    setTranscript(outcome.text);
    setPhase({ status: 'saving' });
    const interviewId = await contentId();
    if (interviewId === undefined) return;
    store.keepTranscript(outcome.text, interviewId);
    // What has begun to go by the outbox goes on that way, or an older text would arrive after this one.
    const text = { kind: 'transcript', text: outcome.text } as const;
    const { segments: spoken } = outcome;
    const file = audioFile(interviewId, audio);
    const own = keepRecordings ? [{ kind: 'recording' as const, ...file, spoken }] : [];
    const kept = keeping.entry !== undefined && (await keeping.keep([text, ...own], interviewId));
    const report = kept
      ? { safe: true, message: texts.inOutbox }
      : await saveTranscript(getContributionClient(backend, interviewId), interviewId, outcome.text);
    const { safe, message } = report;
    if (message !== undefined) toast({ ...message, variant: safe ? 'good' : 'destructive' });
    const along = { onProgress: sending, spoken };
    const handedIn =
      kept ||
      !keepRecordings ||
      (await sendAlong(getContributionClient(backend, interviewId), interviewId, audio, along));
    if (!handedIn) toast({ ...texts.audioNotSent, variant: 'destructive' });
    edit(outcome.text, interviewId, audio);
    if (safe && handedIn) discard();
  };
  const sendWithout = async (audio: Recording): Promise<void> => {
    sending(0);
    const interviewId = await contentId();
    if (interviewId === undefined) return;
    const sent = await sendAudio(getContributionClient(backend, interviewId), interviewId, audio, {
      onProgress: sending,
    });
    if (sent === 'sent') toast({ ...texts.audioSent, variant: 'good' });
    store.keepTranscript('', interviewId);
    edit('', interviewId, audio);
    if (sent === 'sent') discard();
  };

  const keepForLater = async (audio: Recording): Promise<void> => {
    setPhase({ status: 'saving' });
    const interviewId = await contentId();
    if (interviewId === undefined) return;
    const kept = await keeping.keep([{ kind: 'recording', ...audioFile(interviewId, audio) }], interviewId);
    if (!kept) return;
    store.keepTranscript('', interviewId);
    edit('', interviewId, audio);
    discard();
  };

  const run = async (step: (audio: Recording) => Promise<void>): Promise<void> => {
    if (busy.current) return;
    if (recording === undefined) return toast(missing(test));
    const limit = backend.config.limits.recordingBytes;
    if (recording.bytes > limit) {
      return toast({ ...texts.tooLarge(megabytes(recording.bytes), megabytes(limit)), variant: 'destructive' });
    }
    busy.current = true;
    setProblem(undefined);
    try {
      await step(recording);
    } catch (error) {
      console.error('voice message: not delivered', error instanceof Error ? error.name : '');
      toast({ ...TRANSCRIPTION_TEXTS.uploadFailed, variant: 'destructive' });
      setProblem(TRANSCRIPTION_TEXTS.uploadFailed.description);
    } finally {
      busy.current = false;
      setPhase({ status: 'idle' });
    }
  };
  return {
    phase,
    problem,
    transcript,
    /** For a new recording: the last one's problem is not its own. */
    forget: () => {
      setProblem(undefined);
      setTranscript(undefined);
    },
    submit: () => run(transcribe),
    withoutTranscript: () => run(sendWithout),
    /** Offered where nothing can be sent now. A recording is never 'kept' already: a new one may replace it. */
    keepState: keeping.state === 'kept' ? ('offered' as const) : keeping.state,
    keepForLater: () => run(keepForLater),
  };
}

function missing(test: boolean): Readonly<{ title: string; description: string; variant: 'destructive' }> {
  const { title, description } = test ? RECORDING_TEXTS.noRecordingTest : RECORDING_TEXTS.noRecording;
  return { title, description, variant: 'destructive' };
}
