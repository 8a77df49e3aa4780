import { type ReactNode, useEffect, useRef, useState } from 'react';
import { REVIEW_SPOKEN_MAX_S } from '#contract/review.ts';
import type { SpokenWordsProps } from '#web/speech/browser-recognition.ts';
import { InputPicker } from '#web/speech/microphone.tsx';
import { Button } from '#web/ui/button.tsx';
import { Notice } from '#web/ui/notice.tsx';
import { Playback, RecorderMessage, RecorderStage, RecoveryCard } from './recorder-view.tsx';
import type { RecorderNotice, Recording } from './recording/state.ts';
import { RECORDING_TEXTS } from './recording/texts.ts';
import { useRecorder } from './recording/use-recorder.ts';
import { texts } from './texts.ts';
import { ProgressPanel } from './progress-panel.tsx';
import { TRANSCRIPTION_TEXTS, transcriptionMessage } from './transcription/texts.ts';
import type { TranscriptionError, TranscriptionResult } from './transcription/transcribe.ts';
import {
  loadTranscribe,
  reportProgress,
  type TranscriptionState,
  useTranscribeAhead,
} from './transcription/use-transcription.ts';

/** Recordings of reviews belong to no account. */
const OWNER = 'review';

/** A short recording that becomes text for a field, for the bearer of a review key (decision 0264). */
export function SpokenWords({ place, reviewKey, streams, onText, onBusy, onClose }: SpokenWordsProps): ReactNode {
  const [notice, setNotice] = useState<RecorderNotice>();
  const recorder = useRecorder({ owner: OWNER, area: place, onNotice: setNotice });
  const { state, recording, seconds, stop } = recorder;
  const [left, setLeft] = useState<Readonly<{ of: Recording; words: string }>>();
  const rest = left !== undefined && left.of === recording ? left.words : '';
  const transcription = useReviewTranscription(reviewKey, streams);
  const quiet = state.status === 'idle' || state.status === 'error';
  const full = seconds >= REVIEW_SPOKEN_MAX_S;
  useEffect(() => {
    if (full) stop();
  }, [full, stop]);
  useEffect(() => {
    onBusy(transcription.busy);
    return () => onBusy(false);
  }, [transcription.busy, onBusy]);
  const convert = async (): Promise<void> => {
    if (recording === undefined || transcription.busy) return;
    const result = await transcription.run(recording);
    if (result.ok) handOver(recording, result.text);
  };
  const handOver = (of: Recording, spoken: string): void => {
    const words = onText(spoken);
    setLeft({ of, words });
    if (words === '') recorder.discardAll();
  };
  return (
    <section aria-label={texts.spoken.title} className="flex flex-col gap-5 rounded-control bg-sunken p-4">
      <p className="text-muted">
        <span className="block font-medium text-ink">{texts.spoken.title}</span>
        {texts.spoken.text}
      </p>
      {quiet && <RecoveryCard {...recorder} />}
      <RecorderStage recorder={recorder} disabled={transcription.busy} maxSeconds={REVIEW_SPOKEN_MAX_S} />
      <output className="text-center text-sm text-muted empty:sr-only">{full && texts.spoken.full}</output>
      <RecorderMessage notice={notice} />
      {!recorder.safe && <Notice tone="caution">{RECORDING_TEXTS.notKept}</Notice>}
      {transcription.running !== undefined && (
        <ProgressPanel state={transcription.running} onCancel={transcription.cancel} />
      )}
      {transcription.error !== undefined && !transcription.busy && (
        <Notice tone="error" title={TRANSCRIPTION_TEXTS.alert} live>
          <p>{describeError(transcription.error)}</p>
          <p className="mt-1 text-muted">{texts.spoken.kept}</p>
        </Notice>
      )}
      {recording !== undefined && (
        <>
          <Playback recording={recording} disabled={transcription.busy} onRecordAgain={recorder.discardAll} />
          {rest === '' ? (
            <Button busy={transcription.busy} busyLabel={texts.transcribing} onClick={() => void convert()}>
              {texts.spoken.convert}
            </Button>
          ) : (
            <Rest words={rest} onAdd={() => handOver(recording, rest)} />
          )}
        </>
      )}
      {quiet && <InputPicker {...recorder} disabled={false} />}
      <Button variant="quiet" disabled={state.status === 'recording' || transcription.busy} onClick={onClose}>
        {texts.spoken.write}
      </Button>
    </section>
  );
}

/** Asks for room: what was said is not thrown away for want of it. */
function Rest({ words, onAdd }: Readonly<{ words: string; onAdd: () => void }>): ReactNode {
  return (
    <>
      <Notice tone="caution" title={texts.spoken.rest.title} live>
        <p>{texts.spoken.rest.text}</p>
        <blockquote className="mt-2 max-h-40 overflow-y-auto whitespace-pre-wrap wrap-anywhere">{words}</blockquote>
      </Notice>
      <Button variant="secondary" onClick={onAdd}>
        {texts.spoken.rest.add}
      </Button>
    </>
  );
}

function describeError(error: TranscriptionError): string {
  return error.kind === 'rejected' ? texts.spoken.rejected : transcriptionMessage(error);
}

/** Leaving the page aborts. */
function useReviewTranscription(reviewKey: string, streams: boolean) {
  const [state, setState] = useState<TranscriptionState>({ status: 'idle' });
  const current = useRef<AbortController>(undefined);
  useTranscribeAhead();
  useEffect(() => () => current.current?.abort(), []);
  const running = state.status === 'uploading' || state.status === 'transcribing' ? state : undefined;
  const run = async (recording: Recording): Promise<TranscriptionResult> => {
    const { signal } = (current.current = new AbortController());
    const show = (next: TranscriptionState): void => {
      if (!signal.aborted) setState(next);
    };
    show({ status: 'uploading', fraction: 0 });
    const request = { recording, accessToken: undefined, reviewKey, signal };
    const transcribe = await loadTranscribe().catch(() => undefined);
    const failed: TranscriptionResult = { ok: false, error: { kind: 'network' } };
    const result = (await transcribe?.({ ...request, ...reportProgress(show, streams) })) ?? failed;
    setState(result.ok || signal.aborted ? { status: 'idle' } : { status: 'failed', error: result.error });
    return result;
  };
  return {
    running,
    busy: running !== undefined,
    error: state.status === 'failed' ? state.error : undefined,
    run,
    cancel: () => current.current?.abort(),
  };
}
