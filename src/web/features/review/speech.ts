import { createContext, type ComponentType } from 'react';

export type SpeakProps = Readonly<{
  /** What the recording belongs to, where it lies on the device. */
  place: string;
  reviewKey: string;
  /** Whether the server tells the text as it grows. */
  streams: boolean;
  onText: (text: string) => void;
  onClose: () => void;
}>;

/** The recorder is fetched at the first press: the page is usable without it. */
export type LoadRecorder = () => Promise<ComponentType<SpeakProps>>;

type Speech = Readonly<{ load: LoadRecorder; reviewKey: string; streams: boolean }>;

/** undefined where nothing transcribes: then speaking is not offered (decision 0264). */
export const SpeechContext = createContext<Speech | undefined>(undefined);
