import { openLevelMeter, type LevelMeter } from '#web/speech/level.ts';
import { LiveRecognition, type RecognitionConstructor } from '#web/speech/recognition/index.ts';
import type { Call } from './call.ts';

export type EarsOptions = Readonly<{
  stream: MediaStream;
  Recognition: RecognitionConstructor;
  /** `config.cloudRecognition`. */
  cloud: boolean;
  meter?: LevelMeter;
}>;

/** speech.md 'Turn-taking': who says nothing for so long has finished. */
const END_OF_TURN_MS = 900;

/** A conversation in writing becomes a spoken one: what the browser understands is sent as if it were typed. */
export function heardByBrowser(call: Call, { stream, Recognition, cloud, meter }: EarsOptions): Call {
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
      // The server's echo would come too late.
      lastWords = (text) => events.onTurn({ speaker: 'user', text, eventId: undefined });
      recognition.subscribe(() => {
        const { status, final, interim } = recognition.snapshot();
        events.onListening(status !== 'unavailable');
        const fresh = final.slice(sent).trim();
        events.onTentative(`${fresh} ${interim}`.trim());
        clearTimeout(timer);
        if (fresh !== '' && interim === '') timer = setTimeout(send, END_OF_TURN_MS);
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
    mute: (wish) => {
      if (wish === muted) return;
      muted = wish;
      if (!wish) return start();
      send();
      recognition.clear();
      sent = 0;
    },
    useInput: () => Promise.reject(new Error('the browser listens to its own microphone')),
    levels: () => ({ ...call.levels(), input: muted ? 0 : level.read() }),
    end: () => {
      const words = send();
      if (words !== '') lastWords(words);
      close();
      call.end();
    },
  };
}
