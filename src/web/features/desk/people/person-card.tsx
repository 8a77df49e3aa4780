import { skipToken, useQuery } from '@tanstack/react-query';
import { Search as SearchIcon } from '#web/ui/screen-icons.ts';
import { useState, type ReactNode } from 'react';
import * as z from 'zod/mini';
import type { ErasureAnswer } from '#contract/desk-files.ts';
import { getDeskProblem } from '#web/backend/desk-error.ts';
import { Button } from '#web/ui/button.tsx';
import { SectionCard } from '#web/ui/card.tsx';
import { EMAIL_PATTERN, EmailField } from '#web/ui/form-fields.tsx';
import { Notice } from '#web/ui/notice.tsx';
import { useForm } from '#web/ui/use-form.ts';
import { ReceiptFacts } from '../erasure/receipt-facts.tsx';
import { ProblemNotice } from '../notices.tsx';
import { useDeskServer } from '../use-desk.ts';
import { PersonFound } from './person-found.tsx';
import { peopleTexts as texts } from './texts.ts';

const Search = z.object({ email: z.string().check(z.trim(), z.regex(EMAIL_PATTERN, texts.emailProblem)) });

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
          <Button
            type="submit"
            icon={<SearchIcon aria-hidden className="size-5" />}
            busy={person.isFetching}
            busyLabel={texts.searching}
          >
            {texts.search}
          </Button>
        </div>
      </form>
      <div className="mt-5 empty:hidden">
        {person.isError && <ProblemNotice problem={getDeskProblem(person.error)} />}
        {person.data !== undefined && (
          <PersonFound
            person={person.data}
            onErased={(given) => {
              setAnswer(given);
              setSearched(undefined);
            }}
          />
        )}
        {answer !== undefined && <Erased answer={answer} />}
      </div>
    </SectionCard>
  );
}

function Erased({ answer }: Readonly<{ answer: ErasureAnswer }>): ReactNode {
  if (answer.state === 'running') {
    return (
      <Notice title={texts.running} live>
        {texts.runningText}
      </Notice>
    );
  }
  return (
    <div className="flex flex-col gap-3">
      <Notice tone="good" title={texts.done} live />
      <ReceiptFacts receipt={answer.receipt} />
    </div>
  );
}
