import { CircleCheckBig, Hourglass } from 'lucide-react';
import type { ReactNode } from 'react';
import type { ErasureAnswer } from '#contract/desk-files.ts';
import { ButtonLink } from '#web/ui/button.tsx';
import { ScreenTitle } from '#web/ui/screen-title.tsx';
import { INBOX_PATH, PEOPLE_PATH } from '../desk-url.ts';
import { ReceiptFacts } from '../erasure/receipt-facts.tsx';
import { deskTexts } from '../texts.ts';
import { contributionTexts } from './texts.ts';

const texts = contributionTexts.erase;

/** What is left of it. */
export function ErasedScreen({ answer, search }: Readonly<{ answer: ErasureAnswer; search: string }>): ReactNode {
  const done = answer.state === 'done';
  const Icon = done ? CircleCheckBig : Hourglass;
  return (
    <div className="mx-auto flex w-full max-w-column flex-col items-center gap-6 px-4 py-12 text-center sm:px-6">
      <Icon aria-hidden className={done ? 'size-10 text-good-ink' : 'size-10 text-muted'} />
      <ScreenTitle className="text-2xl">{done ? texts.done : texts.running}</ScreenTitle>
      {answer.state === 'done' ? (
        <div className="w-full">
          <ReceiptFacts receipt={answer.receipt} />
        </div>
      ) : (
        <p className="max-w-measure text-lg text-muted">{texts.runningText}</p>
      )}
      <div className="flex flex-wrap justify-center gap-3">
        <ButtonLink variant="primary" href={`${INBOX_PATH}${search}`}>
          {contributionTexts.back}
        </ButtonLink>
        <ButtonLink href={PEOPLE_PATH}>{deskTexts.people}</ButtonLink>
      </div>
    </div>
  );
}
