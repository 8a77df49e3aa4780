import { type ReactNode, useState } from 'react';
import * as z from 'zod/mini';
import { MAILBOX_PATTERN } from '#contract/addresses.ts';
import type { DeskContribution, DeskEvent, DeskMail, DeskMailOutcome } from '#contract/desk.ts';
import { useBackendConfig } from '#web/backend/client.ts';
import { Breakable } from '#web/ui/breakable.tsx';
import { Button } from '#web/ui/button.tsx';
import { SectionCard } from '#web/ui/card.tsx';
import { Dialog } from '#web/ui/dialog.tsx';
import { EmailField, SubmitRow } from '#web/ui/form-fields.tsx';
import { Link } from '#web/ui/link.tsx';
import { formatMoment } from '#web/ui/format.ts';
import { Notice } from '#web/ui/notice.tsx';
import { Mail, Pencil } from '#web/ui/screen-icons.ts';
import { addressField, useForm } from '#web/ui/use-form.ts';
import { toDeskItem } from '../listing.ts';
import { NoMailServerNotice, ProblemNotice } from '../notices.tsx';
import { useStateChange } from '../state-change/use-state-change.ts';
import { deskTexts } from '../texts.ts';
import { inTurn } from '../use-desk.tsx';
import { contributionTexts as texts } from './texts.ts';

type ContactCardProps = Readonly<{
  contribution: DeskContribution;
  onChanged: (contribution: DeskContribution) => void;
  onMissing: () => void;
}>;

/** Shows the contributor with a mail link. */
export function ContactCard(props: ContactCardProps): ReactNode {
  const { contribution } = props;
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
                <span className="min-w-0">
                  <Breakable text={email} />
                </span>
              </Link>
            </p>
          )}
        </div>
      )}
      {!finished && <p className="text-sm text-muted">{email === null ? texts.noAccount : texts.account}</p>}
      {finished && email !== null && <CorrectAddress email={email} {...props} />}
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

const Address = z.object({ email: addressField(MAILBOX_PATTERN, texts.correct.invalid) });

/** A mistyped address would lead every review to somebody else. */
function CorrectAddress({ contribution, email, ...after }: ContactCardProps & Readonly<{ email: string }>): ReactNode {
  const [open, setOpen] = useState(false);
  const { deskMails } = useBackendConfig();
  const changes = useStateChange({ ...inTurn(contribution.id), ...after });
  const form = useForm(Address, { email }, async (change) => {
    setOpen(!(await changes.run(toDeskItem(contribution), change)));
  });
  const begin = (): void => {
    changes.close();
    form.reset({ email });
    setOpen(true);
  };
  return (
    <div className="-ml-4 sm:-ml-5 print:hidden">
      <Button variant="quiet" icon={Pencil} onClick={begin}>
        {texts.correct.open}
      </Button>
      <Dialog
        open={open}
        onOpenChange={setOpen}
        title={texts.correct.title}
        description={deskMails === false ? texts.correct.text : `${texts.correct.text} ${texts.correct.sentAgain}`}
      >
        <form noValidate onSubmit={form.submit} className="flex flex-col gap-5">
          {changes.error !== undefined && <ProblemNotice problem={changes.error.code} />}
          <NoMailServerNotice />
          <EmailField label={texts.correct.label} {...form.field('email')} />
          <SubmitRow
            label={texts.correct.submit}
            busy={changes.busy}
            busyLabel={deskTexts.working}
            onCancel={() => setOpen(false)}
          />
        </form>
      </Dialog>
    </div>
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

/** Finds why the newest mail to the present address may not have arrived. `events`: newest first. */
export function findMailProblem(events: readonly DeskEvent[]): MailProblem | undefined {
  const last = events.find(
    ({ what, from }) => what === 'address' || (what === 'mail' && !TO_TEAM.includes(from ?? '')),
  );
  const outcome = last?.to;
  if (outcome !== 'refused' && outcome !== 'unsure' && outcome !== 'no_address') return undefined;
  return { outcome, code: last?.text ?? '' };
}
