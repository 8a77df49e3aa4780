import type { ReactNode } from 'react';
import type { DeskContribution, DeskEvent, DeskMail, DeskMailOutcome } from '#contract/desk.ts';
import { SectionCard } from '#web/ui/card.tsx';
import { Link } from '#web/ui/link.tsx';
import { formatMoment } from '#web/ui/format.ts';
import { Notice } from '#web/ui/notice.tsx';
import { Mail } from '#web/ui/screen-icons.ts';
import { contributionTexts as texts } from './texts.ts';

/** Shows the contributor with a mail link. */
export function ContactCard({ contribution }: Readonly<{ contribution: DeskContribution }>): ReactNode {
  const { firstName, lastName, contributorEmail: email, finished } = contribution;
  const name = [firstName, lastName].filter(Boolean).join(' ');
  return (
    <SectionCard title={texts.contact}>
      <div className="mb-4 empty:hidden">
        <MailProblemNotice events={contribution.events} />
      </div>
      {!finished && <p className="mb-3 text-muted">{texts.noContact}</p>}
      {(name !== '' || email !== null) && (
        <div className="flex flex-col gap-1">
          {name !== '' && <p className="font-medium [overflow-wrap:anywhere]">{name}</p>}
          {email !== null && (
            <p>
              <Link
                href={formatMailto(email)}
                aria-label={texts.writeTo(email)}
                className="inline-flex min-h-11 max-w-full items-center gap-2 [overflow-wrap:anywhere]"
              >
                <Mail className="size-4.5 shrink-0" />
                <span className="min-w-0">{email}</span>
              </Link>
            </p>
          )}
        </div>
      )}
      {!finished && <p className="text-sm text-muted">{email === null ? texts.noAccount : texts.account}</p>}
      {contribution.consents?.map((consent) => (
        <details key={consent.version} className="mt-3 text-sm">
          <summary className="touch flex cursor-pointer items-center text-muted">
            {texts.consented(formatMoment(consent.acceptedAt), consent.version.slice(0, 8))}
          </summary>
          <p className="max-w-measure whitespace-pre-line">{consent.text}</p>
        </details>
      ))}
    </SectionCard>
  );
}

/** Says that the newest mail to the contributor may not have arrived. */
export function MailProblemNotice({ events }: Readonly<{ events: readonly DeskEvent[] }>): ReactNode {
  const problem = findMailProblem(events);
  if (problem === undefined) return null;
  return (
    <Notice tone="caution" title={texts.mailProblem[problem.outcome].title}>
      {texts.mailProblem[problem.outcome].text(problem.code)}
    </Notice>
  );
}

/** Encodes the address, so that it cannot add recipients or a text. */
function formatMailto(email: string): string {
  return `mailto:${encodeURIComponent(email).replace('%40', '@')}`;
}

type MailProblem = Readonly<{
  outcome: Exclude<DeskMailOutcome, 'sent' | 'limited'>;
  /** The mail server's answer, such as '550', or ''. */
  code: string;
}>;

const TO_TEAM: readonly string[] = ['new', 'review_answer'] satisfies readonly DeskMail[];

/** Finds why the newest mail to the contributor may not have arrived. `events`: newest first. */
export function findMailProblem(events: readonly DeskEvent[]): MailProblem | undefined {
  const last = events.find(({ what, from }) => what === 'mail' && !TO_TEAM.includes(from ?? ''));
  const outcome = last?.to;
  if (outcome !== 'refused' && outcome !== 'unsure' && outcome !== 'no_address') return undefined;
  return { outcome, code: last?.text ?? '' };
}
