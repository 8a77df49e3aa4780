import type { ReactNode } from 'react';
import { SectionCard } from '#web/ui/card.tsx';
import { W_QUESTIONS } from '#web/backend/interviews.ts';
import { contributionTexts as texts } from './texts.ts';

/** The five W-questions (§3), where they were asked. */
export function AnswersCard({ answers }: Readonly<{ answers: Readonly<Record<string, string>> | null }>): ReactNode {
  if (answers === null) return null;
  return (
    <SectionCard title={texts.answers}>
      <dl className="grid gap-x-6 gap-y-3 sm:grid-cols-[5rem_minmax(0,1fr)]">
        {W_QUESTIONS.map((question) => {
          const answer = answers[question]?.trim() ?? '';
          return (
            <div key={question} className="contents">
              <dt className="text-muted max-sm:-mb-2.5 max-sm:text-sm">{texts.questions[question]}</dt>
              <dd className="whitespace-pre-wrap [overflow-wrap:anywhere]">
                {answer === '' ? <span className="text-muted">{texts.noAnswer}</span> : answer}
              </dd>
            </div>
          );
        })}
      </dl>
    </SectionCard>
  );
}
