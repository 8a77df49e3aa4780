import { SERVICE_LIMITS } from '../../service-limits.ts';
import { pcmDurationMs } from '../audio/pcm.ts';
import type { Clock } from '../clock.ts';
import type { SpeechService } from '../settings.ts';
import type { ServerMessage } from '../wire/messages.ts';
import { synthesize } from './services.ts';
import { createSpeaker, type Speaker } from './speaker.ts';

/** One turn of the interviewer: shown as text, and heard where there is a voice. */
export type Utterance = Readonly<{
  say: (sentence: string) => void;
  /** Every sentence is there; `onHeard` runs when the last word was heard (at once, where nobody speaks). */
  finish: (onHeard: () => void) => void;
  /** Stops at once. 'unsaid': nobody has seen or heard anything of it. */
  cut: () => 'cut' | 'unsaid';
  /** The conversation is over: what was heard without having been shown is shown, for the record. */
  close: () => void;
}>;

export type UtteranceOptions = Readonly<{
  eventId: number;
  send: (message: ServerMessage) => void;
  clock: Clock;
  /** silent: text only. browser: the browser reads it out. A service: audio comes from there. */
  voice: Readonly<{ kind: 'silent' | 'browser' } | { kind: 'service'; service: SpeechService }>;
  onTrouble: (error: unknown) => void;
}>;

/** Of a German sentence read aloud. */
const CHARACTERS_PER_S = 15;

export function createUtterance(options: UtteranceOptions): Utterance {
  const { eventId, send, clock, voice } = options;
  const sentences: string[] = [];
  const line = createLine(options);
  let shown: string | undefined;
  let shownAt = 0;
  let over = false;

  const show = (): void => {
    shown ??= sentences.join(' ');
    if (shown !== '')
      send({ type: 'agent_response', agent_response_event: { agent_response: shown, event_id: eventId } });
    shownAt = clock.now();
  };

  const heardOfBrowser = (): string => {
    const words = (shown ?? '').split(' ');
    const share = (clock.now() - shownAt) / readingMs(shown ?? '');
    return words.slice(0, Math.floor(words.length * Math.min(share, 1))).join(' ');
  };

  const correct = (heard: string): void => {
    if (shown === undefined || heard === shown) return;
    send({
      type: 'agent_response_correction',
      agent_response_correction_event: {
        original_agent_response: shown,
        corrected_agent_response: `${heard} …`.trim(),
        event_id: eventId,
      },
    });
  };

  return {
    say: (sentence) => {
      sentences.push(sentence);
      line?.say(sentence);
    },
    finish: (onHeard) => {
      if (over) return;
      show();
      const heard = (): void => {
        if (!over) onHeard();
      };
      if (line !== undefined) line.finish(heard);
      else clock.after(voice.kind === 'browser' ? readingMs(shown ?? '') : 0, heard);
    },
    cut: () => {
      over = true;
      const heard = line?.cut() ?? (voice.kind === 'browser' ? heardOfBrowser() : (shown ?? ''));
      if (shown === undefined && line?.begun() !== true) return 'unsaid';
      send({ type: 'interruption', interruption_event: { event_id: eventId } });
      if (shown === undefined) show();
      correct(heard);
      return 'cut';
    },
    close: () => {
      over = true;
      line?.cut();
      if (shown === undefined && line?.begun() === true) show();
    },
  };
}

function readingMs(text: string): number {
  return (text.length / CHARACTERS_PER_S) * 1000;
}

type Line = Readonly<{
  say: (sentence: string) => void;
  finish: (onHeard: () => void) => void;
  cut: () => string;
  begun: () => boolean;
}>;

/** Sentences to audio, one after the other: the next is made while the one before is heard. */
function createLine({ eventId, send, clock, voice, onTrouble }: UtteranceOptions): Line | undefined {
  if (voice.kind !== 'service') return undefined;
  const { service } = voice;
  const abort = new AbortController();
  let begun = false;
  let audioMs = 0;
  let last: Promise<void> = Promise.resolve();
  const speaker: Speaker = createSpeaker({
    sampleRate: service.sampleRate,
    clock,
    send: (pcm) => {
      begun = true;
      send({ type: 'audio', audio_event: { audio_base_64: pcm.toString('base64'), event_id: eventId } });
    },
  });
  const speak = async (sentence: string): Promise<void> => {
    // A turn that would fill the memory with sound goes on in writing.
    if (abort.signal.aborted || audioMs > SERVICE_LIMITS.turnAudioMs) return;
    speaker.beginSentence(sentence);
    try {
      for await (const pcm of synthesize(service, sentence, abort.signal)) {
        audioMs += pcmDurationMs(pcm.length, service.sampleRate);
        speaker.push(pcm);
      }
    } catch (error) {
      // The sentence is still shown: an interview without a voice is better than none.
      if (!abort.signal.aborted) onTrouble(error);
    }
    speaker.endSentence();
  };
  return {
    say: (sentence) => void (last = last.then(() => speak(sentence))),
    finish: (onHeard) => void last.then(() => speaker.finish(onHeard)),
    cut: () => {
      abort.abort();
      return speaker.cut();
    },
    begun: () => begun,
  };
}
