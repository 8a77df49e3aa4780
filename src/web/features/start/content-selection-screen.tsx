import type { ReactNode } from 'react';
import type { Area } from '#contract/areas.ts';
import { ScreenTitle } from '#web/ui/screen-title.tsx';
import { NextSteps } from './next-steps.tsx';
import { Options, OPTIONS } from './options.tsx';
import { startTexts } from './texts.ts';

/** D5: the option cards of one area. */
export function ContentSelectionScreen({ area }: Readonly<{ area: Area }>): ReactNode {
  return (
    <div className="mx-auto w-full max-w-page px-4 py-8 sm:px-6 sm:py-14">
      <ScreenTitle>{startTexts.selectionTitle}</ScreenTitle>
      <p className="mt-3 mb-8 max-w-measure text-lg text-muted sm:mb-10">{startTexts.selectionLead}</p>
      <Options base={area.base} options={OPTIONS.filter((option) => area.flows.includes(option))} />
      <NextSteps />
    </div>
  );
}
