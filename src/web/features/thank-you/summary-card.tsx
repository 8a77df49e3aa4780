import type { ReactNode } from 'react';
import { SectionCard } from '#web/ui/card.tsx';
import type { Summary } from './summary.ts';
import { texts } from './texts.ts';

export function SummaryCard({ summary }: Readonly<{ summary: Summary }>): ReactNode {
  const words = texts.summary;
  const rows = [
    [words.type, words[summary.type]],
    [words.transcript, summary.hasTranscript ? words.transcriptYes : words.transcriptNo],
    [words.images, summary.images === 0 ? words.noImages : String(summary.images)],
  ] as const;
  return (
    <SectionCard title={texts.summaryTitle}>
      <dl className="grid gap-x-6 gap-y-4 sm:grid-cols-3">
        {rows.map(([name, value]) => (
          <div key={name} className="flex items-baseline justify-between gap-4 sm:block">
            <dt className="text-sm text-muted">{name}</dt>
            <dd className="tabular font-medium sm:mt-1 sm:text-lg">{value}</dd>
          </div>
        ))}
      </dl>
    </SectionCard>
  );
}

export function NextCard(): ReactNode {
  return (
    <SectionCard title={texts.nextTitle}>
      <ol className="flex flex-col gap-3">
        {texts.next.map((step, index) => (
          <li key={step} className="flex items-baseline gap-3">
            <span aria-hidden className="tabular w-5 shrink-0 text-right font-semibold text-accent-ink">
              {index + 1}
            </span>
            {step}
          </li>
        ))}
      </ol>
    </SectionCard>
  );
}
