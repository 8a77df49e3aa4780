import type { ReactNode } from 'react';
import { StepMessage } from '#web/ui/step-message.tsx';
import { deskTexts as texts } from './texts.ts';
import type { Downloads } from './use-downloads.ts';

type DownloadFailureProps = Readonly<{
  of: Downloads;
  /** Shown only for these downloads; without them for each. */
  keys?: readonly string[];
}>;

/** Why a file could not be fetched, beside what was pressed, until the next one is. */
export function DownloadFailure({ of: { failure }, keys }: DownloadFailureProps): ReactNode {
  if (failure === undefined || keys?.includes(failure.key) === false) return null;
  const description = texts.problems[failure.problem];
  return <StepMessage message={{ id: 0, title: texts.downloadFailed, description, variant: 'destructive' }} />;
}
