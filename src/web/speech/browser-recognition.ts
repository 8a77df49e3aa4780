import type { AppConfig } from '#contract/app-config.ts';

/** The part of the Web Speech API that is used; TypeScript's DOM library does not describe it. */
export type RecognitionResultList = ArrayLike<
  Readonly<{ isFinal: boolean }> & ArrayLike<Readonly<{ transcript: string }>>
>;
export type RecognitionResultEvent = Readonly<{ resultIndex: number; results: RecognitionResultList }>;

export type RecognitionEvents = {
  result: RecognitionResultEvent;
  error: Readonly<{ error: string }>;
  end: unknown;
};

export type BrowserRecognition = {
  lang: string;
  continuous: boolean;
  interimResults: boolean;
  maxAlternatives: number;
  /** Chrome and Edge from 139 on. */
  processLocally?: boolean;
  addEventListener: <Type extends keyof RecognitionEvents>(
    type: Type,
    listener: (event: RecognitionEvents[Type]) => void,
    options?: Readonly<{ signal: AbortSignal }>,
  ) => void;
  /** Some browsers ignore the recorder's track and use their default microphone. */
  start: (track?: MediaStreamTrack) => void;
  stop: () => void;
  abort: () => void;
};

export type RecognitionConstructor = (new () => BrowserRecognition) &
  Readonly<{
    prototype: object;
    /** Only a hint: nothing but a result proves it. */
    available?: (options: { langs: string[]; processLocally: boolean }) => Promise<string>;
  }>;

type SpeechWindow = Readonly<{
  SpeechRecognition?: RecognitionConstructor;
  webkitSpeechRecognition?: RecognitionConstructor;
}>;

/** Whether recognition may run here: on the device, or at its maker where the operator allows that. */
export function canRecognize(cloud: boolean, Recognition = getBrowserRecognition()): boolean {
  return Recognition !== undefined && (cloud || 'processLocally' in Recognition.prototype);
}

/** Whether speech is transcribed here, by the server or by the browser (decision 0261). */
export function canTranscribe(config: Pick<AppConfig, 'transcription' | 'cloudRecognition'>): boolean {
  return config.transcription || canRecognize(config.cloudRecognition);
}

/** Chrome, Edge and Safari have one, Firefox has none. */
export function getBrowserRecognition(page: SpeechWindow = window as SpeechWindow): RecognitionConstructor | undefined {
  return page.SpeechRecognition ?? page.webkitSpeechRecognition;
}

/** Of a short recording that becomes text for a field, on a page without a login (decision 0264). */
export type SpokenWordsProps = Readonly<{
  /** What the recording belongs to, where it lies on the device. */
  place: string;
  reviewKey: string;
  /** Whether the server tells the text as it grows. */
  streams: boolean;
  /** Returns the words that found no room. Without any, the recording leaves the device. */
  onText: (text: string) => string;
  /** Told whether words are on their way, so that nothing is sent without them. */
  onBusy: (busy: boolean) => void;
  onClose: () => void;
}>;
