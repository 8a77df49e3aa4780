import type { VoiceTicket } from '#contract/voice.ts';
import { canRecognize, getBrowserRecognition, type RecognitionConstructor } from '#web/speech/browser-recognition.ts';
import { openLevelMeter, type LevelMeter } from '#web/speech/level.ts';
import { watchMuted } from '#web/speech/inputs.ts';
import { LiveRecognition } from '#web/speech/live-recognition.ts';
import { openBrowserVoice, withBrowserVoice } from './browser-voice.ts';
import { type Call, type InputMode, raceAbort } from './call.ts';
import { startClientCall } from './client-call.ts';

export type StartCallOptions = Readonly<{
  ticket: VoiceTicket;
  way: InputMode;
  inputId: string | undefined;
  /** `config.cloudRecognition`. */
  cloud: boolean;
  signal: AbortSignal;
}>;

/**
 * Lets server or browser listen and speak (docs/interview.md 'What a client does'). Where neither can listen the person
 * types. Rejects like `startClientCall`, with all microphones closed.
 */
export async function startCall({ ticket, way, inputId, cloud, signal }: StartCallOptions): Promise<Call> {
  const textOnly = ticket.textOnly || way === 'typing';
  const browserListens = way === 'voice' && !ticket.capabilities.transcription && canRecognize(cloud);
  const Recognition = browserListens ? getBrowserRecognition() : undefined;
  const stream = Recognition === undefined ? undefined : await openStream(inputId, signal);
  try {
    // Before the connection: afterwards its end must close the microphone at once.
    const voice = way === 'voice' && !ticket.capabilities.speech ? await openBrowserVoice() : undefined;
    const client = await startClientCall({ ticket, textOnly, inputId, signal });
    const listening =
      Recognition === undefined || stream === undefined
        ? client
        : withBrowserRecognition(client, { stream, Recognition, cloud });
    return voice === undefined
      ? { ...listening, speaks: ticket.capabilities.speech && !textOnly }
      : withBrowserVoice(listening, voice);
  } catch (error) {
    stopAll(stream);
    throw error;
  }
}

/** Rejects as `getUserMedia` does; a microphone that is allowed too late is closed at once. */
async function openStream(inputId: string | undefined, signal: AbortSignal): Promise<MediaStream> {
  const device = inputId === undefined ? {} : { deviceId: { exact: inputId } };
  const audio = { echoCancellation: true, noiseSuppression: true, autoGainControl: true, ...device };
  const asked = navigator.mediaDevices.getUserMedia({ audio });
  try {
    const stream = await raceAbort(asked, signal);
    signal.addEventListener('abort', () => stopAll(stream), { once: true });
    return stream;
  } catch (error) {
    asked.then(stopAll, () => undefined);
    throw error;
  }
}

function stopAll(stream: MediaStream | undefined): void {
  for (const track of stream?.getTracks() ?? []) track.stop();
}

type BrowserListeningOptions = Readonly<{
  stream: MediaStream;
  Recognition: RecognitionConstructor;
  /** `config.cloudRecognition`. */
  cloud: boolean;
  meter?: LevelMeter;
}>;

/** Silence that ends a turn, as on the server (docs/interview.md). */
const END_OF_TURN_MS = 900;

/**
 * Sends what the browser recognises as if it were typed; not after the end, when a voice may still lift its mute. Shows
 * the last words itself, because the server's echo comes too late.
 */
export function withBrowserRecognition(call: Call, options: BrowserListeningOptions): Call {
  const { stream, meter: level = openLevelMeter(stream, globalThis.AudioContext) } = options;
  const recognition = new LiveRecognition(options);
  const words = createWordSender(call, recognition);
  let muted = false;
  let lastWords = (_words: string): void => undefined;
  let start = (): void => recognition.start(stream.getAudioTracks()[0]);
  const close = (): void => {
    const last = words.send();
    if (last !== '') lastWords(last);
    start = () => undefined;
    words.stop();
    level.close();
    stream.getTracks().forEach((track) => track.stop());
  };
  return {
    ...call,
    microphoneOpen: true,
    subscribe: (events) => {
      lastWords = (text) => events.onTurn({ speaker: 'user', text, eventId: undefined });
      words.follow(events);
      call.subscribe({ ...events, onEnd: runFirst(close, events.onEnd) });
      for (const track of stream.getTracks()) watchMuted(track, events.onMicrophoneMuted);
      if (!muted) start();
    },
    mute: (value) => {
      if (value === muted) return;
      muted = value;
      if (!value) return start();
      words.send();
      words.stop();
    },
    useInput: () => Promise.reject(new Error('browser recognition uses the default microphone')),
    levels: () => ({ ...call.levels(), input: muted ? 0 : level.read() }),
    end: () => {
      close();
      call.end();
    },
  };
}

function runFirst<T>(first: () => void, then: (given: T) => void): (given: T) => void {
  return (given) => {
    first();
    then(given);
  };
}

/** Sends the recognised words that were not sent before, also after a silence; those that may still change as well. */
function createWordSender(call: Call, recognition: LiveRecognition) {
  let sent = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const send = (): string => {
    const { final, interim } = recognition.snapshot();
    const words = `${final.slice(sent)} ${interim}`.trim();
    sent = final.length;
    if (words !== '') call.say(words);
    return words;
  };
  return {
    /** Returns what was sent. */
    send,
    follow: (events: Pick<Parameters<Call['subscribe']>[0], 'onListening' | 'onTentative'>) =>
      recognition.subscribe(() => {
        const { status, final, interim } = recognition.snapshot();
        events.onListening(status !== 'unavailable');
        const newWords = final.slice(sent).trim();
        events.onTentative(`${newWords} ${interim}`.trim());
        clearTimeout(timer);
        if (newWords !== '' && interim === '') timer = setTimeout(send, END_OF_TURN_MS);
      }),
    stop: (): void => {
      clearTimeout(timer);
      recognition.clear();
      sent = 0;
    },
  };
}
