import type { Call } from './call.ts';

/** The browser's own voice (speech.md 'Voices'). */
export type BrowserVoice = Readonly<{
  /** Resolves when the text was read out, or silenced. Never rejects. */
  read: (text: string, volume: number) => Promise<void>;
  silence: () => void;
}>;

type Synthesis = Pick<SpeechSynthesis, 'getVoices' | 'speak' | 'cancel' | 'addEventListener' | 'removeEventListener'>;

const VOICES_WAIT_MS = 500;
/** A voice that reads slower than this has stopped without saying so; browsers do that. */
const SLOWEST_MS_PER_CHARACTER = 150;
const SENTENCE_GRACE_MS = 4_000;

/** iOS lets a page speak only after it has done so within a touch. To be called in the click itself. */
export function unlockBrowserVoice(): void {
  if ('speechSynthesis' in globalThis) speechSynthesis.speak(new SpeechSynthesisUtterance(''));
}

/** Undefined where the browser cannot read German: then the text alone has to do. */
export async function openBrowserVoice(
  synthesis: Synthesis | undefined = 'speechSynthesis' in globalThis ? speechSynthesis : undefined,
): Promise<BrowserVoice | undefined> {
  if (synthesis === undefined) return undefined;
  const voice = germanOf(await voicesOf(synthesis));
  if (voice === undefined) return undefined;
  let round = 0;
  return {
    read: async (text, volume) => {
      const mine = (round += 1);
      // Sentence by sentence: some browsers fall silent in the middle of a long text.
      for (const sentence of text.split(/(?<=[.!?…])\s+/)) {
        if (mine !== round) return;
        await readSentence(synthesis, voice, sentence, volume);
      }
    },
    silence: () => {
      round += 1;
      synthesis.cancel();
    },
  };
}

/** The interviewer of a conversation without a voice of its own is read out; meanwhile the microphone is deaf to it. */
export function spokenByBrowser(call: Call, voice: BrowserVoice): Call {
  let volume = 1;
  let muted = false;
  let reading = 0;
  const deafen = (): void => call.mute(muted || reading > 0);
  return {
    ...call,
    speaks: true,
    mute: (wish) => {
      muted = wish;
      deafen();
    },
    setVolume: (value) => void (volume = value),
    listen: (events) => {
      const read = async (text: string): Promise<void> => {
        reading += 1;
        deafen();
        events.onSpeaking(true);
        await voice.read(text, volume);
        reading -= 1;
        deafen();
        if (reading === 0) events.onSpeaking(false);
      };
      call.listen({
        ...events,
        onSpeaking: () => undefined,
        onTurn: (turn) => {
          voice.silence();
          events.onTurn(turn);
          if (turn.speaker === 'agent') void read(turn.text);
        },
        onCorrection: (original, corrected) => {
          voice.silence();
          events.onCorrection(original, corrected);
        },
        onEnd: (end) => {
          // An interviewer who says goodbye is heard out; everybody else has had enough.
          if (end.by !== 'agent') voice.silence();
          events.onEnd(end);
        },
      });
    },
    say: (text) => {
      voice.silence();
      call.say(text);
    },
    levels: () => ({ ...call.levels(), output: reading > 0 ? 0.4 : 0 }),
    end: () => {
      voice.silence();
      call.end();
    },
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

/** Chrome knows its voices only a moment after it was asked. */
async function voicesOf(synthesis: Synthesis): Promise<readonly SpeechSynthesisVoice[]> {
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

function germanOf(voices: readonly SpeechSynthesisVoice[]): SpeechSynthesisVoice | undefined {
  const german = voices.filter((voice) => /^de\b/i.test(voice.lang.replace('_', '-')));
  return german.find((voice) => voice.default) ?? german.find((voice) => voice.localService) ?? german[0];
}
