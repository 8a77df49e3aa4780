import { skipToken, useQuery } from '@tanstack/react-query';
import { clsx } from 'clsx';
import { type ReactNode, useState } from 'react';
import * as z from 'zod/mini';
import type { ErasureAnswer, Person } from '#contract/desk-files.ts';
import { getDeskProblem } from '#web/backend/desk.ts';
import { Button } from '#web/ui/button.tsx';
import { SectionCard } from '#web/ui/card.tsx';
import { EmptyState } from '#web/ui/empty-state.tsx';
import { EMAIL_PATTERN, EmailField } from '#web/ui/form-fields.tsx';
import { Notice } from '#web/ui/notice.tsx';
import { Download, Search as SearchIcon, Trash2 } from '#web/ui/screen-icons.ts';
import { addressField, useForm } from '#web/ui/use-form.ts';
import { EraseDialog, ReceiptFacts, useOutcome } from '../erasure/erase-dialog.tsx';
import { ProblemNotice } from '../notices.tsx';
import { DownloadFailure, useDeskServer, useDownloads } from '../use-desk.tsx';
import { peopleTexts as texts } from './texts.ts';

const Search = z.object({ email: addressField(EMAIL_PATTERN, texts.emailProblem) });

/** Finds what is stored about one address. */
export function PersonCard(): ReactNode {
  const server = useDeskServer();
  const [searched, setSearched] = useState<Readonly<{ email: string; turn: number }>>();
  const [answer, setAnswer] = useState<ErasureAnswer>();
  const person = useQuery({
    queryKey: ['desk', 'person', searched],
    queryFn: searched === undefined ? skipToken : ({ signal }) => server.person(searched.email, signal),
  });
  const { submit, field } = useForm(Search, { email: '' }, ({ email }) => {
    setAnswer(undefined);
    setSearched({ email: email.toLowerCase(), turn: (searched?.turn ?? 0) + 1 });
  });
  return (
    <SectionCard title={texts.person}>
      <p className="mb-4 max-w-measure text-muted">{texts.personText}</p>
      <form noValidate onSubmit={submit} className="flex flex-col gap-3 sm:flex-row sm:items-start">
        <div className="flex-1">
          <EmailField label={texts.email} {...field('email')} />
        </div>
        <div className="flex flex-col sm:mt-[1.6875rem]">
          <Button type="submit" icon={SearchIcon} busy={person.isFetching} busyLabel={texts.searching}>
            {texts.search}
          </Button>
        </div>
      </form>
      <div aria-live="polite" className="not-empty:mt-5">
        {person.data !== undefined && (
          <PersonFound
            person={person.data}
            onErased={(given) => {
              setAnswer(given);
              setSearched(undefined);
            }}
          />
        )}
      </div>
      <div className="mt-5 empty:hidden">
        {person.isError && <ProblemNotice problem={getDeskProblem(person.error)} />}
        {answer !== undefined && <Erased answer={answer} />}
      </div>
    </SectionCard>
  );
}

function Erased({ answer }: Readonly<{ answer: ErasureAnswer }>): ReactNode {
  const outcome = useOutcome(answer);
  if (outcome.state === 'running') {
    return (
      <Notice title={texts.running} live>
        {texts.runningText}
      </Notice>
    );
  }
  return (
    <div className="flex flex-col gap-3">
      <Notice tone="good" title={texts.done} live />
      <ReceiptFacts receipt={outcome.receipt} />
    </div>
  );
}

type PersonFoundProps = Readonly<{ person: Person; onErased: (answer: ErasureAnswer) => void }>;

/** Shows what an export of this address returns and an erasure removes. */
function PersonFound({ person, onErased }: PersonFoundProps): ReactNode {
  const [erasing, setErasing] = useState(false);
  const { email, account } = person;
  const counts = listCounts(person);
  if (counts.length === 0 && account === null) {
    return (
      <EmptyState drawing="person" title={texts.nothingTitle}>
        <span className="[overflow-wrap:anywhere]">{texts.nothing(email)}</span>
      </EmptyState>
    );
  }
  return (
    <section aria-label={texts.found(email)} className="rounded-control border border-line bg-sunken p-4 sm:p-5">
      <h3 className="font-semibold [overflow-wrap:anywhere]">{texts.found(email)}</h3>
      <ul className="tabular mt-2 grid gap-x-6 gap-y-1 sm:grid-cols-2">
        {counts.map(({ name, count }) => (
          <li key={name}>{texts.counts[name](count)}</li>
        ))}
        {account !== null && <li>{texts.account}</li>}
      </ul>
      <div className="mt-5 flex flex-col gap-2 sm:flex-row sm:flex-wrap">
        <ExportButton email={email} />
        <Button variant="danger" icon={Trash2} onClick={() => setErasing(true)}>
          {texts.erase}
        </Button>
      </div>
      {erasing && <ErasePerson person={person} onErased={onErased} onClose={() => setErasing(false)} />}
    </section>
  );
}

function ExportButton({ email }: Readonly<{ email: string }>): ReactNode {
  const downloads = useDownloads((server) => server.exportTicket(email));
  return (
    <>
      <Button
        variant="secondary"
        icon={Download}
        busy={downloads.preparing.length > 0}
        busyLabel={texts.exporting}
        onClick={() => downloads.download(email)}
      >
        {texts.export}
      </Button>
      <div className="order-last empty:hidden sm:w-full">
        <DownloadFailure of={downloads} />
      </div>
    </>
  );
}

function ErasePerson({ person, onErased, onClose }: PersonFoundProps & Readonly<{ onClose: () => void }>): ReactNode {
  const server = useDeskServer();
  const [withAccount, setWithAccount] = useState(false);
  const { email, account } = person;
  // The audit log stays: its entries name no contributor.
  const erased = listCounts(person).filter(({ name }) => name !== 'auditEntries');
  const what = erased.map(({ name, count }) => texts.counts[name](count));
  return (
    <EraseDialog
      title={texts.eraseTitle}
      description={texts.eraseText(email, what.length === 0 ? texts.account : what.join(', '))}
      understood={texts.understood}
      confirm={texts.confirm}
      erase={() => server.erase({ email, ...(withAccount && { account: true }) })}
      onErased={onErased}
      onClose={onClose}
    >
      {account?.erasable === 'yes' && (
        <label
          className={clsx(
            'grid cursor-pointer grid-cols-[auto_1fr] items-center gap-x-3 rounded-control border',
            'border-line-strong px-3.5 py-2.5',
          )}
        >
          <input
            type="checkbox"
            checked={withAccount}
            onChange={(event) => setWithAccount(event.target.checked)}
            className="size-5"
          />
          <span>{texts.withAccount}</span>
          <span className="col-start-2 text-sm text-muted">{texts.withAccountHint}</span>
        </label>
      )}
      {account !== null && account.erasable !== 'yes' && (
        <p className="text-sm text-muted">{texts.keepsAccount[account.erasable]}</p>
      )}
    </EraseDialog>
  );
}

const COUNTED = ['contributions', 'files', 'turns', 'feedback', 'posts', 'mails', 'auditEntries'] as const;

/** Lists the non-zero counts in display order. */
function listCounts(person: Person): readonly Readonly<{ name: (typeof COUNTED)[number]; count: number }>[] {
  return COUNTED.map((name) => ({ name, count: person[name] ?? 0 })).filter(({ count }) => count > 0);
}
