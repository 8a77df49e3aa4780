import type { ReactNode } from 'react';
import { BackLink } from '#web/ui/link.tsx';
import { ScreenTitle } from '#web/ui/screen-title.tsx';
import { INBOX_PATH } from '../desk-url.ts';
import { PersonCard } from './person-card.tsx';
import { ReceiptsCard } from './receipts-card.tsx';
import { RetentionCard } from './retention-card.tsx';
import { peopleTexts as texts } from './texts.ts';

/** /admin/eingang/datenschutz: export, erasure and retention. */
export function PeopleScreen(): ReactNode {
  return (
    <div className="mx-auto w-full max-w-column px-4 py-6 sm:px-6 sm:py-10">
      <BackLink href={INBOX_PATH}>{texts.back}</BackLink>
      <div className="mt-2 mb-8">
        <ScreenTitle>{texts.title}</ScreenTitle>
        <p className="mt-3 max-w-measure text-lg text-muted">{texts.lead}</p>
      </div>
      <div className="flex flex-col gap-4">
        <PersonCard />
        <RetentionCard />
        <ReceiptsCard />
      </div>
    </div>
  );
}
