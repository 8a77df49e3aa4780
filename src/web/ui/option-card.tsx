import { clsx } from 'clsx';
import { ArrowRight, Clock, type Icon } from './icons.tsx';
import type { ReactNode } from 'react';
import { Anchor } from './link.tsx';

type OptionProps = Readonly<{
  icon: Icon;
  title: string;
  line: string;
  /** Such as 'ca. 5 Minuten'. */
  duration?: string;
}>;

const CARD_CLASS = clsx(
  'group flex h-full flex-wrap gap-4 rounded-card border border-line bg-surface p-5 transition-colors',
  'hover:border-accent sm:flex-col sm:flex-nowrap sm:gap-5 sm:p-6',
);

/** The whole card is the link. */
export function OptionCard({ href, ...option }: OptionProps & Readonly<{ href: string }>): ReactNode {
  return (
    <Anchor href={href} className={CARD_CLASS}>
      <Option {...option} />
    </Anchor>
  );
}

/** The same card for a choice within a screen. */
export function OptionButton({ onClick, ...option }: OptionProps & Readonly<{ onClick: () => void }>): ReactNode {
  return (
    <button type="button" onClick={onClick} className={clsx(CARD_CLASS, 'w-full text-left')}>
      <Option {...option} />
    </button>
  );
}

function Option({ icon: Shape, title, line, duration }: OptionProps): ReactNode {
  return (
    <>
      <span
        className={clsx(
          'flex size-12 shrink-0 items-center justify-center rounded-control bg-accent-wash',
          'text-accent-ink transition-colors group-hover:bg-accent group-hover:text-on-accent',
        )}
      >
        <Shape className="size-6" />
      </span>
      <span className="flex min-w-0 flex-1 basis-36 flex-col sm:basis-0">
        <span className="text-lg leading-snug font-semibold tracking-tight">{title}</span>
        <span className="mt-1 text-muted">{line}</span>
        <span className="mt-auto flex flex-wrap items-center justify-between gap-3 pt-3 text-sm text-muted sm:pt-5">
          {duration === undefined ? (
            <span />
          ) : (
            <span className="tabular inline-flex items-center gap-1.5">
              <Clock className="size-4" />
              {duration}
            </span>
          )}
          <ArrowRight className="size-5 transition-[transform,color] group-hover:translate-x-1 group-hover:text-accent-ink" />
        </span>
      </span>
    </>
  );
}
