import type { Call } from './call.ts';

/** The browser's own voice. */
export type BrowserVoice = Readonly<{
  /** Resolves when the text was read out or silenced. Never rejects. */
  read: (text: string, volume: number) => Promise<void>;
  silence: () => void;
}>;

type Synthesis = Pick<SpeechSynthesis, 'getVoices' | 'speak' | 'cancel' | 'addEventListener' | 'removeEventListener'>;

const VOICES_WAIT_MS = 500;
/** Some browsers stop without an event; a slower voice counts as stopped. */
const SLOWEST_MS_PER_CHARACTER = 150;
const SENTENCE_GRACE_MS = 4_000;

/** Must run in the click itself: iOS lets a page speak only after it spoke within a touch. */
export function unlockBrowserVoice(): void {
  if ('speechSynthesis' in globalThis) speechSynthesis.speak(new SpeechSynthesisUtterance(''));
}

/** Undefined where the browser has no German voice: the text is shown without sound. */
export async function openBrowserVoice(
  synthesis: Synthesis | undefined = 'speechSynthesis' in globalThis ? speechSynthesis : undefined,
): Promise<BrowserVoice | undefined> {
  if (synthesis === undefined) return undefined;
  const voice = findGermanVoice(await loadVoices(synthesis));
  if (voice === undefined) return undefined;
  let round = 0;
  return {
    read: async (text, volume) => {
      const current = (round += 1);
      // Some browsers fall silent in the middle of a long text.
      for (const sentence of text.split(/(?<=[.!?…])\s+/)) {
        if (current !== round) return;
        await readSentence(synthesis, voice, sentence, volume);
      }
    },
    silence: () => {
      round += 1;
      synthesis.cancel();
    },
  };
}

/** Adds the browser's voice to a conversation without one; mutes the microphone while it reads. */
export function withBrowserVoice(call: Call, voice: BrowserVoice): Call {
  const reader = createReader(call, voice);
  return {
    ...call,
    speaks: true,
    mute: reader.mute,
    setVolume: reader.setVolume,
    subscribe: (events) =>
      call.subscribe({
        ...events,
        onSpeaking: () => undefined,
        onTurn: (turn) => {
          voice.silence();
          events.onTurn(turn);
          if (turn.speaker === 'agent') void reader.read(turn.text, events.onSpeaking);
        },
        onCorrection: (original, corrected) => {
          voice.silence();
          events.onCorrection(original, corrected);
        },
        onEnd: (end) => {
          // A goodbye of the interviewer is read to its end.
          if (end.by !== 'agent') voice.silence();
          events.onEnd(end);
        },
      }),
    say: (text) => {
      voice.silence();
      call.say(text);
    },
    levels: () => ({ ...call.levels(), output: reader.isReading() ? 0.4 : 0 }),
    end: () => {
      voice.silence();
      call.end();
    },
  };
}

/** Reads turns out. The microphone is off as long as it does, and as long as the person wants it off. */
function createReader(call: Call, voice: BrowserVoice) {
  let volume = 1;
  let muted = false;
  let reading = 0;
  const change = (by: 1 | -1): void => {
    reading += by;
    call.mute(muted || reading > 0);
  };
  return {
    read: async (text: string, onSpeaking: (speaking: boolean) => void): Promise<void> => {
      change(1);
      onSpeaking(true);
      await voice.read(text, volume);
      change(-1);
      if (reading === 0) onSpeaking(false);
    },
    mute: (value: boolean): void => {
      muted = value;
      call.mute(muted || reading > 0);
    },
    setVolume: (value: number): void => void (volume = value),
    isReading: (): boolean => reading > 0,
  };
}

function readSentence(synthesis: Synthesis, voice: SpeechSynthesisVoice, text: string, volume: number): Promise<void> {
  return new Promise((resolve) => {
    const utterance = new SpeechSynthesisUtterance(text);
    utterance.voice = voice;
    utterance.lang = voice.lang;
    utterance.volume = volume;
    const timer = setTimeout(resolve, SENTENCE_GRACE_MS + text.length * SLOWEST_MS_PER_CHARACTER);
    const done = (): void => {
      clearTimeout(timer);
      resolve();
    };
    utterance.addEventListener('end', done);
    utterance.addEventListener('error', done);
    synthesis.speak(utterance);
  });
}

/** Chrome loads its voices only after the first request. */
async function loadVoices(synthesis: Synthesis): Promise<readonly SpeechSynthesisVoice[]> {
  const now = synthesis.getVoices();
  if (now.length > 0) return now;
  await new Promise<void>((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      synthesis.removeEventListener('voiceschanged', done);
      resolve();
    };
    const timer = setTimeout(done, VOICES_WAIT_MS);
    synthesis.addEventListener('voiceschanged', done);
  });
  return synthesis.getVoices();
}

function findGermanVoice(voices: readonly SpeechSynthesisVoice[]): SpeechSynthesisVoice | undefined {
  const german = voices.filter((voice) => /^de\b/i.test(voice.lang.replace('_', '-')));
  return german.find((voice) => voice.default) ?? german.find((voice) => voice.localService) ?? german[0];
}
