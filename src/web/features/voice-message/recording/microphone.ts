import { RECORDER_CHUNK_MS, RECORDING_FORMATS } from '#contract/limits.ts';
import { classifyMicrophoneError } from '#web/speech/microphone-error.ts';
import type { RecorderErrorCode } from './state.ts';
import type { RecorderDeps } from './recorder-deps.ts';

/** The part of the browser that records. */
export type RecorderConstructor = Pick<typeof MediaRecorder, 'isTypeSupported'> &
  (new (stream: MediaStream, options?: MediaRecorderOptions) => MediaRecorder);

type MediaSessionHandlers = Readonly<{
  onChunk: (chunk: Blob) => void;
  /** All chunks have come. */
  onStopped: () => void;
  onError: (code: RecorderErrorCode) => void;
}>;

/** An open microphone with a running recorder on it. */
export type MediaSession = Readonly<{
  stream: MediaStream;
  format: RecordingFormat;
  /** Throws where the browser's recorder does. */
  stop: () => void;
  pause: () => void;
  resume: () => void;
  /** Lets go of the microphone, whatever state the recorder is in. Handlers are silent from here on. */
  release: () => void;
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

/** Throws RecorderError ('audio-init', 'start'); the stream is released then. */
export function startSession(
  stream: MediaStream,
  Recorder: RecorderConstructor,
  wanted: RecordingFormat,
  handlers: MediaSessionHandlers,
): MediaSession {
  try {
    const recorder = attempt('audio-init', () => new Recorder(stream, optionsFor(wanted)));
    const detach = attach(recorder, stream, handlers);
    attempt('start', () => recorder.start(RECORDER_CHUNK_MS));
    const mime = recorder.mimeType === '' ? wanted.mime : recorder.mimeType;
    return {
      stream,
      format: { mime, extension: extensionOf(mime) ?? wanted.extension },
      stop: () => attempt('stop', () => recorder.stop()),
      pause: () => recorder.pause(),
      resume: () => recorder.resume(),
      release: () => {
        detach();
        stopQuietly(recorder);
        releaseStream(stream);
      },
    };
  } catch (error) {
    releaseStream(stream);
    throw error;
  }
}

export function releaseStream(stream: MediaStream): void {
  for (const track of stream.getTracks()) track.stop();
}

/** One that refuses to stop must not keep the microphone. */
function stopQuietly(recorder: MediaRecorder): void {
  try {
    if (recorder.state !== 'inactive') recorder.stop();
  } catch {
    console.warn('recorder: does not stop');
  }
}

function attach(recorder: MediaRecorder, stream: MediaStream, handlers: MediaSessionHandlers): () => void {
  const onData = (event: BlobEvent): void => {
    if (event.data.size > 0) handlers.onChunk(event.data);
  };
  const onRecorderError = (): void => handlers.onError('recording');
  // A microphone that is unplugged ends its track; the recorder stops by itself after it.
  const onEnded = (): void => handlers.onError('microphone');
  recorder.addEventListener('dataavailable', onData);
  recorder.addEventListener('error', onRecorderError);
  recorder.addEventListener('stop', handlers.onStopped);
  for (const track of stream.getTracks()) track.addEventListener('ended', onEnded);
  return () => {
    recorder.removeEventListener('dataavailable', onData);
    recorder.removeEventListener('error', onRecorderError);
    recorder.removeEventListener('stop', handlers.onStopped);
    for (const track of stream.getTracks()) track.removeEventListener('ended', onEnded);
  };
}

function attempt<T>(code: RecorderErrorCode, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    throw new RecorderError(code, { cause });
  }
}

/** Plenty for speech: five minutes are 2.4 MB, which a phone in a workshop still gets away. */
const BITS_PER_SECOND = 64_000;

function optionsFor(format: RecordingFormat): MediaRecorderOptions {
  return { mimeType: format.mime, audioBitsPerSecond: BITS_PER_SECOND };
}

type Equipment = Readonly<{
  media: NonNullable<RecorderDeps['media']>;
  Native: NonNullable<RecorderDeps['Recorder']>;
  format: RecordingFormat;
}>;

/** Throws RecorderError 'unsupported' where this browser cannot record. */
export function equipmentOf({ media, Recorder: Native }: RecorderDeps): Equipment {
  if (media === undefined || Native === undefined) throw new RecorderError('unsupported');
  const format = chooseFormat((mime) => Native.isTypeSupported(mime));
  if (format === undefined) throw new RecorderError('unsupported');
  return { media, Native, format };
}

export type RecordingExtension = (typeof RECORDING_FORMATS)[number];
export type RecordingFormat = Readonly<{ mime: string; extension: RecordingExtension }>;

/**
 * Opus where the container can say so: the same speech in a third of the bytes of what some browsers take by default.
 */
const MIMES: Readonly<Record<RecordingExtension, readonly string[]>> = {
  webm: ['audio/webm;codecs=opus', 'audio/webm'],
  ogg: ['audio/ogg;codecs=opus', 'audio/ogg'],
  mp4: ['audio/mp4;codecs=mp4a.40.2', 'audio/mp4'],
  mp3: ['audio/mp3'],
  mpeg: ['audio/mpeg'],
  wav: ['audio/wav'],
};

/** §9 'Recording formats tried in order'. Undefined where the browser can write none of them. */
export function chooseFormat(isTypeSupported: (mime: string) => boolean): RecordingFormat | undefined {
  for (const extension of RECORDING_FORMATS) {
    const mime = MIMES[extension].find((candidate) => isTypeSupported(candidate));
    if (mime !== undefined) return { mime, extension };
  }
  return undefined;
}

/** What the browser says it writes counts for more than what it was asked for. */
export function extensionOf(mime: string): RecordingExtension | undefined {
  const subtype = /^(?:audio|video)\/([a-z0-9-]+)/i.exec(mime)?.[1]?.toLowerCase().replace(/^x-/, '');
  return RECORDING_FORMATS.find((extension) => extension === subtype);
}
