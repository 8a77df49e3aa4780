import { Mail } from 'lucide-react';
import type { ReactNode } from 'react';
import type { DeskContribution } from '#contract/desk.ts';
import { SectionCard } from '#web/ui/card.tsx';
import { Link } from '#web/ui/link.tsx';
import { Notice } from '#web/ui/notice.tsx';
import { mailTroubleOf } from './mail-trouble.ts';
import { contributionTexts as texts } from './texts.ts';

/** Who handed it in, and the way to write to them. */
export function ContactCard({ contribution }: Readonly<{ contribution: DeskContribution }>): ReactNode {
  const { firstName, lastName, contributorEmail: email, finished } = contribution;
  const trouble = mailTroubleOf(contribution.events);
  const name = [firstName, lastName].filter(Boolean).join(' ');
  return (
    <SectionCard title={texts.contact}>
      {trouble !== undefined && (
        <div className="mb-4">
          <Notice tone="caution" title={texts.mailTrouble[trouble.outcome].title}>
            {texts.mailTrouble[trouble.outcome].text(trouble.code)}
          </Notice>
        </div>
      )}
      {!finished && <p className="mb-3 text-muted">{texts.noContact}</p>}
      {(name !== '' || email !== null) && (
        <div className="flex flex-col gap-1">
          {name !== '' && <p className="font-medium [overflow-wrap:anywhere]">{name}</p>}
          {email !== null && (
            <p>
              <Link
                href={mailTo(email)}
                aria-label={texts.writeTo(email)}
                className="inline-flex min-h-11 max-w-full items-center gap-2 [overflow-wrap:anywhere]"
              >
                <Mail aria-hidden className="size-4.5 shrink-0" />
                <span className="min-w-0">{email}</span>
              </Link>
            </p>
          )}
        </div>
      )}
      {!finished && <p className="text-sm text-muted">{email === null ? texts.noAccount : texts.account}</p>}
    </SectionCard>
  );
}

/** Whatever somebody wrote as an address is an address, never more recipients or a text. */
function mailTo(email: string): string {
  return `mailto:${encodeURIComponent(email).replace('%40', '@')}`;
}
