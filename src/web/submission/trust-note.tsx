import type { ReactNode } from 'react';
import { useBackendConfig } from '#web/backend/client.ts';
import { ChevronDown } from '#web/ui/icons.tsx';
import { trustTexts as texts } from './texts.ts';

/** One quiet line before something is recorded or chosen: who gets it and what for; more on a tap. */
export function TrustNote(): ReactNode {
  const { brand, retentionDays } = useBackendConfig();
  return (
    <details className="group text-sm text-muted">
      <summary className="touch flex cursor-pointer items-center gap-2 rounded-sm">
        <span className="min-w-0 flex-1 text-balance">{texts.line(brand.association)}</span>
        <ChevronDown className="size-4.5 shrink-0 transition-transform group-open:rotate-180" />
        <span className="sr-only">{texts.more}</span>
      </summary>
      <ul className="flex list-disc flex-col gap-1.5 py-2 pl-5">
        {[...texts.facts, retentionDays === undefined ? texts.kept : texts.erased(retentionDays)].map((fact) => (
          <li key={fact}>{fact}</li>
        ))}
      </ul>
    </details>
  );
}
