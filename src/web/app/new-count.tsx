import { clsx } from 'clsx';
import type { ReactNode } from 'react';
import { useNewContributions } from '#web/backend/new-contributions.ts';
import { connected } from '#web/backend/server-state.tsx';
import { laterTexts } from './later-texts.ts';

const MOST_SHOWN = 99;

/** How many new contributions the desk holds; nothing where it holds none. Follows the desk by its polling. */
export const NewCount = connected(Count);

function Count(): ReactNode {
  const count = useNewContributions() ?? 0;
  if (count === 0) return null;
  return (
    <span
      className={clsx(
        'tabular min-w-5 rounded-full bg-accent px-1.5 text-center text-[0.6875rem]/5 font-semibold text-on-accent',
        'max-lg:absolute max-lg:top-1 max-lg:left-1/2 max-lg:ml-1.5 max-lg:ring-2 max-lg:ring-paper',
      )}
    >
      <span aria-hidden>{count > MOST_SHOWN ? `${MOST_SHOWN}+` : count}</span>
      <span className="sr-only">{laterTexts.newItems(count)}</span>
    </span>
  );
}
