import { clsx } from 'clsx';
import { Tabs as RadixTabs } from 'radix-ui';
import type { ReactNode } from 'react';

export type Tab = Readonly<{ id: string; name: ReactNode; content: ReactNode }>;

/** One of several at a time, for small screens. Arrows move between the tabs. */
export function Tabs({ label, tabs }: Readonly<{ label: string; tabs: readonly Tab[] }>): ReactNode {
  return (
    <RadixTabs.Root defaultValue={tabs[0]?.id ?? ''}>
      <RadixTabs.List aria-label={label} className="mb-4 flex gap-1 rounded-control bg-sunken p-1">
        {tabs.map(({ id, name }) => (
          <RadixTabs.Trigger
            key={id}
            value={id}
            className={clsx(
              'touch flex-1 rounded-sm px-3 font-medium text-muted transition-colors',
              'data-[state=active]:bg-surface data-[state=active]:text-ink',
            )}
          >
            {name}
          </RadixTabs.Trigger>
        ))}
      </RadixTabs.List>
      {tabs.map(({ id, content }) => (
        <RadixTabs.Content key={id} value={id} tabIndex={-1}>
          {content}
        </RadixTabs.Content>
      ))}
    </RadixTabs.Root>
  );
}
