import type { ComponentType } from 'react';
import type { MediaKind } from './texts.ts';

/** §2.9: the voice interview in the place of the text form, a feature of its own that the application plugs in. */
export type DescriptionInterviewProps = Readonly<{
  kind: MediaKind;
  /** The contribution the interview belongs to, made where there is none yet (§4). */
  ensureInterviewId: () => Promise<string>;
  /** The interview has ended with an answer; submitting is possible from then on. May be called again. */
  onCompleted: (transcript: string) => void;
}>;

export type DescriptionInterview = ComponentType<DescriptionInterviewProps>;
