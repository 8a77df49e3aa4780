import type { ReactNode } from 'react';
import type { ErasureReceipt } from '#contract/desk-files.ts';
import { formatMoment, formatNumber } from '#web/ui/format.ts';
import { erasureTexts as texts } from './texts.ts';

const COUNTED = ['contributions', 'files', 'turns', 'feedback', 'posts', 'events', 'mails', 'accounts'] as const;

/** Formats what was erased: '1 Beitrag, 3 Dateien'. */
export function formatErased(receipt: ErasureReceipt): string {
  const parts = COUNTED.map((name) => ({ name, count: receipt[name] ?? 0 }))
    .filter(({ count }) => count > 0)
    .map(({ name, count }) => texts.counts[name](formatNumber(count)));
  return parts.length === 0 ? texts.nothing : parts.join(', ');
}

/** Shows the receipt right after the erasure. */
export function ReceiptFacts({ receipt }: Readonly<{ receipt: ErasureReceipt }>): ReactNode {
  const facts = [
    { name: texts.erased, value: formatErased(receipt) },
    { name: texts.at, value: formatMoment(receipt.at) },
    { name: texts.number, value: receipt.id },
  ];
  return (
    <section aria-label={texts.receipt} className="rounded-card border border-line bg-surface p-5 text-left sm:p-6">
      <h2 className="text-lg font-semibold">{texts.receipt}</h2>
      <p className="mt-1 text-sm text-muted">{texts.receiptHint}</p>
      <dl className="tabular mt-4 flex flex-col gap-3">
        {facts.map(({ name, value }) => (
          <div key={name}>
            <dt className="text-sm text-muted">{name}</dt>
            <dd className="[overflow-wrap:anywhere]">{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
