import { RECORDER_CHUNK_MS } from '#contract/limits.ts';
import { classifyMicrophoneError } from '#web/speech/microphone-error.ts';
import type { StoredChunks } from './chunk-store.ts';
import { readExtension, type RecorderErrorCode, type RecordingFormat } from './state.ts';

/** The part of the browser that records. */
export type RecorderConstructor = Pick<typeof MediaRecorder, 'isTypeSupported'> &
  (new (stream: MediaStream, options?: MediaRecorderOptions) => MediaRecorder);

type MicrophoneHandlers = Readonly<{
  onChunk: (chunk: Blob) => void;
  /** All chunks have come. */
  onStopped: () => void;
  onError: (code: RecorderErrorCode) => void;
}>;

export class RecorderError extends Error {
  readonly code: RecorderErrorCode;
  constructor(code: RecorderErrorCode, options?: ErrorOptions) {
    super(`recorder: ${code}`, options);
    this.name = 'RecorderError';
    this.code = code;
  }
}

/** Throws RecorderError. Without the chosen microphone (unplugged since) the default one is taken. */
export async function openMicrophone(
  media: Pick<MediaDevices, 'getUserMedia'>,
  inputId: string | undefined,
): Promise<MediaStream> {
  const sound = { echoCancellation: true, noiseSuppression: true, autoGainControl: true, channelCount: 1 };
  const device = inputId === undefined ? {} : { deviceId: { exact: inputId } };
  try {
    return await media.getUserMedia({ audio: { ...sound, ...device } });
  } catch (cause) {
    const gone = classifyMicrophoneError(cause) === 'no-microphone' && inputId !== undefined;
    if (gone) return openMicrophone(media, undefined);
    throw new RecorderError(classifyMicrophoneError(cause), { cause });
  }
}

/**
 * An open microphone with a running recorder on it. Throws RecorderError ('audio-init', 'start'); the stream is
 * released then.
 */
export function startSession(
  stream: MediaStream,
  MediaRecorderClass: RecorderConstructor,
  wanted: RecordingFormat,
  handlers: MicrophoneHandlers,
) {
  try {
    const recorder = tryOrThrow('audio-init', () => new MediaRecorderClass(stream, getRecorderOptions(wanted)));
    const detach = listenToRecorder(recorder, stream, handlers);
    tryOrThrow('start', () => recorder.start(RECORDER_CHUNK_MS));
    const mime = recorder.mimeType === '' ? wanted.mime : recorder.mimeType;
    return {
      stream,
      format: { mime, extension: readExtension(mime) ?? wanted.extension },
      /** Throws where the browser's recorder does. */
      stop: (): void => tryOrThrow('stop', () => recorder.stop()),
      pause: (): void => recorder.pause(),
      resume: (): void => recorder.resume(),
      /**
       * Lets go of the microphone, whatever state the recorder is in. Handlers are silent from here on; `last` is told
       * of what a recorder still gives.
       */
      release: (last?: Pick<MicrophoneHandlers, 'onChunk' | 'onStopped'>): void => {
        detach();
        if (last !== undefined) listenToRecorder(recorder, stream, { ...last, onError: () => undefined });
        stopQuietly(recorder);
        releaseStream(stream);
      },
    };
  } catch (error) {
    releaseStream(stream);
    throw error;
  }
}

export type MicrophoneSession = ReturnType<typeof startSession>;

export function releaseStream(stream: MediaStream): void {
  for (const track of stream.getTracks()) track.stop();
}

/** One that refuses to stop must not keep the microphone. */
function stopQuietly(recorder: MediaRecorder): void {
  try {
    if (recorder.state !== 'inactive') recorder.stop();
  } catch {
    console.warn('recorder: stop failed');
  }
}

function listenToRecorder(recorder: MediaRecorder, stream: MediaStream, handlers: MicrophoneHandlers): () => void {
  const listening = new AbortController();
  const { signal } = listening;
  const onData = ({ data }: BlobEvent): void => {
    if (data.size > 0) handlers.onChunk(data);
  };
  recorder.addEventListener('dataavailable', onData, { signal });
  recorder.addEventListener('error', () => handlers.onError('recording'), { signal });
  recorder.addEventListener('stop', handlers.onStopped, { signal });
  // A microphone that is unplugged ends its track; the recorder stops by itself after it.
  for (const track of stream.getTracks())
    track.addEventListener('ended', () => handlers.onError('microphone'), { signal });
  return () => listening.abort();
}

function tryOrThrow<T>(code: RecorderErrorCode, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    throw new RecorderError(code, { cause });
  }
}

/** Plenty for speech: five minutes are 2.4 MB, which a phone in a workshop still gets away. */
const BITS_PER_SECOND = 64_000;

function getRecorderOptions(format: RecordingFormat): MediaRecorderOptions {
  return { mimeType: format.mime, audioBitsPerSecond: BITS_PER_SECOND };
}

/** A recorder without a 'stop' event for this long counts as stopped. */
export const STOP_TIMEOUT_MS = 3_000;

/** Leaves a running recording: its last chunk comes after the stop and is stored before the recording is offered. */
export function leaveSession(
  session: MicrophoneSession,
  stored: StoredChunks,
  seconds: number,
  every: (ms: number, call: () => void) => () => void,
): void {
  const letGo = stored.hold();
  let stopWaiting = (): void => undefined;
  let ended = false;
  const end = (): void => {
    if (ended) return;
    ended = true;
    stopWaiting();
    letGo();
  };
  stopWaiting = every(STOP_TIMEOUT_MS, end);
  session.release({ onChunk: (chunk) => ended || stored.append(chunk, seconds), onStopped: end });
}
