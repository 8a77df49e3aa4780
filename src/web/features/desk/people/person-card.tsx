import { Search } from '#web/ui/screen-icons.ts';
import { useState, type ReactNode, type SubmitEvent } from 'react';
import type { ErasureAnswer } from '#contract/desk-files.ts';
import { Button } from '#web/ui/button.tsx';
import { SectionCard } from '#web/ui/card.tsx';
import { Field } from '#web/ui/field.tsx';
import { Notice } from '#web/ui/notice.tsx';
import { TextInput } from '#web/ui/text-input.tsx';
import { ReceiptFacts } from '../erasure/receipt-facts.tsx';
import { ProblemNotice } from '../notices.tsx';
import { PersonFound } from './person-found.tsx';
import { peopleTexts as texts } from './texts.ts';
import { usePerson } from './use-person.ts';

const ADDRESS = /^[^\s@]+@[^\s@]+$/;

export function PersonCard({ onErased }: Readonly<{ onErased: () => void }>): ReactNode {
  const [email, setEmail] = useState('');
  const [submitted, setSubmitted] = useState(false);
  const [answer, setAnswer] = useState<ErasureAnswer>();
  const { state, search, reset } = usePerson();
  const valid = ADDRESS.test(email.trim());
  const submit = (event: SubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    setSubmitted(true);
    setAnswer(undefined);
    if (valid) search(email.trim().toLowerCase());
  };
  return (
    <SectionCard title={texts.person}>
      <p className="mb-4 max-w-measure text-muted">{texts.personText}</p>
      <form noValidate onSubmit={submit} className="flex flex-col gap-3 sm:flex-row sm:items-start">
        <div className="flex-1">
          <Field label={texts.email} error={submitted && !valid ? texts.emailProblem : undefined} required>
            <TextInput
              type="email"
              inputMode="email"
              autoComplete="off"
              autoCapitalize="none"
              spellCheck={false}
              value={email}
              onChange={(event) => setEmail(event.target.value)}
            />
          </Field>
        </div>
        <div className="flex flex-col sm:mt-[1.6875rem]">
          <Button
            type="submit"
            icon={<Search aria-hidden className="size-5" />}
            busy={state.status === 'searching'}
            busyLabel={texts.searching}
          >
            {texts.search}
          </Button>
        </div>
      </form>
      <div className="mt-5 empty:hidden">
        {state.status === 'failed' && <ProblemNotice problem={state.problem} />}
        {state.status === 'found' && (
          <PersonFound
            person={state.person}
            onErased={(given) => {
              setAnswer(given);
              reset();
              onErased();
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
