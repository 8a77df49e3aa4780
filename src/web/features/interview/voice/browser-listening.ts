import { openLevelMeter, type LevelMeter } from '#web/speech/level.ts';
import type { RecognitionConstructor } from '#web/speech/browser-recognition.ts';
import { LiveRecognition } from '#web/speech/live-recognition.ts';
import type { Call } from './call.ts';

export type BrowserListeningOptions = Readonly<{
  stream: MediaStream;
  Recognition: RecognitionConstructor;
  /** `config.cloudRecognition`. */
  cloud: boolean;
  meter?: LevelMeter;
}>;

/** Silence that ends a turn, as on the server (docs/interview.md). */
const END_OF_TURN_MS = 900;

/** Adds the browser's recognition to a text conversation: its words are sent as if they were typed. */
export function withBrowserRecognition(
  call: Call,
  { stream, Recognition, cloud, meter }: BrowserListeningOptions,
): Call {
  const recognition = new LiveRecognition({ Recognition, cloud });
  const level = meter ?? openLevelMeter(stream, globalThis.AudioContext);
  let sent = 0;
  let muted = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let lastWords = (_words: string): void => undefined;
  const start = (): void => recognition.start(stream.getAudioTracks()[0]);
  const send = (): string => {
    const { final } = recognition.snapshot();
    const words = final.slice(sent).trim();
    sent = final.length;
    if (words !== '') call.say(words);
    return words;
  };
  const close = (): void => {
    clearTimeout(timer);
    recognition.clear();
    level.close();
    for (const track of stream.getTracks()) track.stop();
  };
  return {
    ...call,
    listens: true,
    listen: (events) => {
      // The server's echo comes too late at the end.
      lastWords = (text) => events.onTurn({ speaker: 'user', text, eventId: undefined });
      recognition.subscribe(() => {
        const { status, final, interim } = recognition.snapshot();
        events.onListening(status !== 'unavailable');
        const newWords = final.slice(sent).trim();
        events.onTentative(`${newWords} ${interim}`.trim());
        clearTimeout(timer);
        if (newWords !== '' && interim === '') timer = setTimeout(send, END_OF_TURN_MS);
      });
      call.listen({
        ...events,
        onEnd: (end) => {
          close();
          events.onEnd(end);
        },
      });
      if (!muted) start();
    },
    mute: (value) => {
      if (value === muted) return;
      muted = value;
      if (!value) return start();
      send();
      recognition.clear();
      sent = 0;
    },
    useInput: () => Promise.reject(new Error('browser recognition uses the default microphone')),
    levels: () => ({ ...call.levels(), input: muted ? 0 : level.read() }),
    end: () => {
      const words = send();
      if (words !== '') lastWords(words);
      close();
      call.end();
    },
  };
}
