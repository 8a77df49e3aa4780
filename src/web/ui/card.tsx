import { clsx } from 'clsx';
import type { ComponentPropsWithRef, ReactNode } from 'react';

export function Card({ className, children, ...rest }: ComponentPropsWithRef<'div'>): ReactNode {
  return (
    <div {...rest} className={clsx('rounded-card border border-line bg-surface p-5 sm:p-6', className)}>
      {children}
    </div>
  );
}

/** A card with a heading of its own; `action` stands at the heading's right. */
export function SectionCard({
  title,
  action,
  children,
}: Readonly<{ title: string; action?: ReactNode; children: ReactNode }>): ReactNode {
  return (
    <section className="rounded-card border border-line bg-surface p-5 sm:p-6">
      <div className="mb-4 flex flex-wrap items-center justify-between gap-3">
        <h2 className="min-w-0 text-lg font-semibold">{title}</h2>
        {action}
      </div>
      {children}
    </section>
  );
}

type FactsProps = Readonly<{ facts: readonly (readonly [name: string, value: string | null])[] }>;

/** Names with their values, inside a `dl`; without a value one is left out. */
export function Facts({ facts }: FactsProps): ReactNode {
  return facts.map(
    ([name, value]) =>
      value !== null && (
        <div key={name}>
          <dt className="text-sm text-muted">{name}</dt>
          <dd className="wrap-anywhere">{value}</dd>
        </div>
      ),
  );
}

type ScrollBoxProps = Readonly<{ label: string; className: string; children: ReactNode }>;

/** A long text that scrolls by itself, by keyboard too. */
export function ScrollBox({ label, className, children }: ScrollBoxProps): ReactNode {
  return (
    <section
      aria-label={label}
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- scrollable by keyboard
      tabIndex={0}
      className={clsx('overflow-y-auto rounded-control p-4', className)}
    >
      {children}
    </section>
  );
}

/** The exact words that somebody agrees to (decision 0267). */
export function ConsentText({ label, children }: Omit<ScrollBoxProps, 'className'>): ReactNode {
  return (
    <ScrollBox label={label} className="max-h-56 border border-line text-sm whitespace-pre-line">
      {children}
    </ScrollBox>
  );
}
