import type { ComponentType } from 'react';
import type { MediaKind } from './texts.ts';

/** §2.9: the short voice interview in the place of the text form. It is another room's; the application plugs it in. */
export type DescriptionInterviewProps = Readonly<{
  kind: MediaKind;
  /** The contribution the interview belongs to, made where there is none yet (§4). */
  ensureInterviewId: () => Promise<string>;
  /**
   * The interview has ended with something said; only then can be submitted. May be called again after a repetition.
   */
  onCompleted: (transcript: string) => void;
}>;

export type DescriptionInterview = ComponentType<DescriptionInterviewProps>;
