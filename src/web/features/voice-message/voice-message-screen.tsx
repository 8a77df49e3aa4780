import { type ReactNode, useCallback, useEffect, useRef, useState } from 'react';
import { formatArea } from '#contract/labels.ts';
import { useBackendConfig } from '#web/backend/client.ts';
import { canTranscribe } from '#web/speech/browser-recognition.ts';
import { InputPicker } from '#web/speech/microphone.tsx';
import { type LiveRecognitionHandle, useLiveRecognition } from '#web/speech/use-live-recognition.ts';
import { useFlow, useStep } from '#web/submission/flow.ts';
import { readKey } from '#web/submission/keys.ts';
import { TrustNote } from '#web/submission/trust-note.tsx';
import { useBackendStatus } from '#web/submission/use-backend-status.ts';
import { useRunningWork } from '#web/submission/use-running-work.ts';
import { useSubmission } from '#web/submission/use-submission.ts';
import { useUserId } from '#web/submission/use-user-id.ts';
import { Button, RetryButton } from '#web/ui/button.tsx';
import { SectionCard } from '#web/ui/card.tsx';
import { FlowScreen } from '#web/ui/flow-screen.tsx';
import { KeepOnDevice } from '#web/ui/keep-on-device.tsx';
import { Notice, NoticeButton } from '#web/ui/notice.tsx';
import { ProgressBar } from '#web/ui/progress-bar.tsx';
import { LoadingScreen } from '#web/ui/state-screens.tsx';
import { minutesAndSeconds } from '#web/ui/timer.tsx';
import { useClearMessage } from '#web/ui/toast.tsx';
import { useInSight } from '#web/ui/use-in-view.ts';
import { EarlierNotice } from './earlier-notice.tsx';
import { Playback, RecorderMessage, RecorderStage, RecoveryCard } from './recorder-view.tsx';
import type { RecorderNotice, Recording } from './recording/state.ts';
import { RECORDING_TEXTS } from './recording/texts.ts';
import { type RecorderHandle, useRecorder } from './recording/use-recorder.ts';
import { texts } from './texts.ts';
import { ProgressPanel } from './progress-panel.tsx';
import { TRANSCRIPTION_TEXTS } from './transcription/texts.ts';
import {
  type TranscriptionHandle,
  type TranscriptionState,
  useTranscription,
} from './transcription/use-transcription.ts';
import { useVoiceMessage, type VoiceMessagePhase } from './use-voice-message.ts';

/** §2.6, both variants. */
export function VoiceMessageScreen(): ReactNode {
  const userId = useUserId();
  if (userId === undefined) return <LoadingScreen text={texts.loading} />;
  return <VoiceMessage owner={userId ?? ''} />;
}

function VoiceMessage({ owner }: Readonly<{ owner: string }>): ReactNode {
  const { area, go } = useFlow();
  const step = useStep('recording');
  const config = useBackendConfig();
  const { cloudRecognition, keepRecordings, transcription: service } = config;
  const [notice, setNotice] = useState<RecorderNotice>();
  const recorder = useRecorder({ owner, area: area.id, onNotice: setNotice });
  useClearedByRecording(recorder.state.status);
  const { state, recording } = recorder;
  const active = state.status === 'recording' && !state.paused;
  const recognition = useLiveRecognition({ active, track: recorder.track, cloud: cloudRecognition });
  const { currentId } = useSubmission();
  const readInterviewKey = useCallback(() => readKey(currentId()), [currentId]);
  const transcription = useTranscription({ readInterviewKey, prompt: formatArea(area.id) });
  const words = useRecognisedWords(recognition);
  const message = useVoiceMessage({
    recording,
    transcription,
    recognised: words.finish,
    hold: recorder.hold,
    discard: recorder.discardAll,
  });
  const busy = message.phase.status !== 'idle';
  const canBeTranscribed = canTranscribe(config);
  const { status } = useBackendStatus();
  const quiet = state.status === 'idle' || state.status === 'error';
  const testArea = area.variant === 'test';
  useRunningWork(
    busy || state.status === 'recording' || state.status === 'stopping',
    busy ? 'processing' : recorder.safe ? 'recording' : 'unkept',
  );

  const startOver = () => {
    recorder.putAside();
    words.putAside();
    message.forget();
  };
  const keepPrevious = () => {
    recorder.keepPrevious();
    words.takeBack();
  };
  const send = canBeTranscribed ? message.submit : message.withoutTranscript;
  const goOn = useAfterRecording(recorder, () => void send());
  const primary = (
    <Button
      busy={busy}
      busyLabel={busyLabel(message.phase, transcription.state)}
      disabled={active || recorder.restoring}
      onClick={goOn}
    >
      {testArea ? texts.nextTest : texts.next}
    </Button>
  );
  return (
    <FlowScreen
      step={step}
      title={texts.heading}
      lead={quiet ? (canBeTranscribed ? texts.lead : texts.leadUntranscribed) : undefined}
      onBack={busy ? undefined : () => go({ to: 'home' })}
      primary={testArea && recording === undefined ? undefined : primary}
    >
      {quiet && <TrustNote />}
      {quiet && keepRecordings && service && <Notice>{texts.handedIn}</Notice>}
      {quiet && recorder.previous === undefined && <RecoveryCard {...recorder} />}
      {quiet && recorder.previous === undefined && <EarlierNotice />}
      <RecorderStage recorder={recorder} disabled={busy} />
      <RecorderMessage notice={notice} />
      <PreviousRecording recording={recorder.previous} onKeep={keepPrevious} />
      {!recorder.safe && <Notice tone="caution">{RECORDING_TEXTS.notKept}</Notice>}
      {busy && <Progress phase={message.phase} transcription={transcription} />}
      {recording !== undefined && <Playback recording={recording} disabled={busy} onRecordAgain={startOver} />}
      {message.problem !== undefined && !busy && recording !== undefined && <Problem message={message} />}
      {recording !== undefined && !busy && (message.problem !== undefined || status === 'unavailable') && (
        <KeepOnDevice state={message.keepState} onKeep={() => void message.keepForLater()} outboxHref="/ausgangskorb" />
      )}
      {quiet && <InputPicker {...recorder} disabled={busy} />}
      {testArea && <ShownTranscript latest={message.transcript} />}
    </FlowScreen>
  );
}

/** What live recognition understood, of the recording put aside too. */
function useRecognisedWords({ final, finish, clear }: LiveRecognitionHandle) {
  const aside = useRef('');
  const restored = useRef('');
  return {
    finish: () => (restored.current === '' ? finish() : Promise.resolve(restored.current)),
    putAside: () => {
      aside.current = restored.current === '' ? final : restored.current;
      restored.current = '';
      clear();
    },
    takeBack: () => {
      restored.current = aside.current;
      clear();
    },
  };
}

/** Says that the last recording is still there, until the new one is finished. */
function PreviousRecording(props: Readonly<{ recording: Recording | undefined; onKeep: () => void }>): ReactNode {
  const { recording, onKeep } = props;
  if (recording === undefined) return null;
  return (
    <Notice live action={<NoticeButton onClick={onKeep}>{texts.keepPrevious}</NoticeButton>}>
      {texts.previous(minutesAndSeconds(recording.seconds))}
    </Notice>
  );
}

/** 'Keine Aufnahme vorhanden' is solved by one, and a toast would cover its pause button. */
function useClearedByRecording(status: string): void {
  const clearMessage = useClearMessage();
  useEffect(() => {
    if (status === 'recording' || status === 'recorded') clearMessage();
  }, [status, clearMessage]);
}

/** During a pause the press ends the recording first; `goOn` follows as soon as the recording is there. */
function useAfterRecording({ state: { status }, stop }: RecorderHandle, goOn: () => void): () => void {
  const pressed = useRef(false);
  useEffect(() => {
    if (status === 'recording' || status === 'stopping') return;
    if (pressed.current && status === 'recorded') goOn();
    pressed.current = false;
  });
  return () => {
    pressed.current = status === 'recording' || status === 'stopping';
    if (status === 'recording') stop();
    else if (!pressed.current) goOn();
  };
}

function busyLabel(phase: VoiceMessagePhase, transcription: TranscriptionState): string {
  if (phase.status === 'saving') return texts.saving;
  const uploading = phase.status === 'sending' || transcription.status === 'uploading';
  return uploading ? texts.uploading : texts.transcribing;
}

type ProgressProps = Readonly<{
  phase: VoiceMessagePhase;
  transcription: Pick<TranscriptionHandle, 'state' | 'cancel'>;
}>;

/** D18: bytes while they are sent; how long a transcription takes is known where the server tells. */
function Progress({ phase, transcription: { state, cancel } }: ProgressProps): ReactNode {
  const canCancel = useBackendConfig().transcriptionStream === true;
  if (phase.status === 'sending') return <ProgressBar label={texts.progress} percent={phase.fraction * 100} />;
  if (phase.status === 'transcribing' && (state.status === 'uploading' || state.status === 'transcribing')) {
    return <ProgressPanel state={state} onCancel={canCancel ? cancel : undefined} />;
  }
  return <ProgressBar label={busyLabel(phase, state)} />;
}

/** D21: what went wrong, that nothing is lost, and the two ways on. */
function Problem({ message }: Readonly<{ message: ReturnType<typeof useVoiceMessage> }>): ReactNode {
  const place = useInSight();
  const actions = (
    <>
      {message.retryable && <RetryButton onClick={() => void message.submit()} />}
      <NoticeButton onClick={() => void message.withoutTranscript()}>
        {TRANSCRIPTION_TEXTS.withoutTranscript}
      </NoticeButton>
    </>
  );
  return (
    <Notice ref={place} variant="destructive" tone="error" title={TRANSCRIPTION_TEXTS.alert} live action={actions}>
      <p>
        <span className="font-medium">{message.problem?.title}</span>: {message.problem?.description}
      </p>
      <p className="mt-1 text-muted">{message.retryable ? TRANSCRIPTION_TEXTS.kept : texts.keptOnly}</p>
    </Notice>
  );
}

/** §2.6, test variant: the transcript below; on coming back, the one that was made last. */
function ShownTranscript({ latest }: Readonly<{ latest: string | undefined }>): ReactNode {
  const { state } = useFlow();
  const { store, exchangeIfKnown } = useSubmission();
  const [earlier] = useState(() => {
    const { interviewId } = state;
    return interviewId === undefined ? undefined : store.transcript(exchangeIfKnown(interviewId));
  });
  const transcript = latest ?? earlier;
  if (transcript === undefined || transcript === '') return null;
  return (
    <SectionCard title={texts.transcript}>
      <p className="max-w-measure whitespace-pre-wrap">{transcript}</p>
    </SectionCard>
  );
}
