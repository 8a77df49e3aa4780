import type { ReactNode } from 'react';
import type { Brand } from '#contract/app-config.ts';
import { Notice } from '#web/ui/notice.tsx';
import { ScreenTitle } from '#web/ui/screen-title.tsx';
import { legalTexts } from './texts.ts';

/** Served by the application itself while the brand's addresses are its own (D8). */
export function LegalScreen({ page, brand }: Readonly<{ page: 'imprint' | 'privacy'; brand: Brand }>): ReactNode {
  const { title, lead, setting } = legalTexts[page];
  return (
    <div className="mx-auto w-full max-w-column px-4 py-10 sm:px-6 sm:py-16">
      <ScreenTitle>{title}</ScreenTitle>
      <p className="mt-3 text-lg text-muted">{lead}</p>
      <p className="mt-8 mb-6">{legalTexts.operator(brand.association)}</p>
      <Notice tone="caution" title={legalTexts.missing}>
        {legalTexts.todo(setting)}
      </Notice>
    </div>
  );
}
