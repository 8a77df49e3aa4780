import { clsx } from 'clsx';
import { ArrowRight } from '#web/ui/icons.tsx';
import type { ReactNode } from 'react';
import type { RoleStatistics } from '#web/backend/statistics.ts';
import { formatNumber } from '#web/ui/format.ts';
import { Anchor } from '#web/ui/link.tsx';
import { adminTexts as texts } from './texts.ts';

export type AdminCardProps = Readonly<{
  href: string;
  name: string;
  note: string | undefined;
  figures: RoleStatistics | undefined;
  loading: boolean;
}>;

/** Links an area and shows its three figures. */
export function AdminCard({ href, name, note, figures, loading }: AdminCardProps): ReactNode {
  return (
    <Anchor
      href={href}
      className={clsx(
        'group flex h-full min-h-56 flex-col rounded-card border border-line bg-surface p-5 transition-colors',
        'hover:border-accent sm:p-6',
      )}
    >
      <span className="flex items-start justify-between gap-3">
        <span>
          <span className="block text-lg font-semibold tracking-tight">{name}</span>
          {note !== undefined && <span className="block text-sm text-muted">{note}</span>}
        </span>
        <ArrowRight
          aria-hidden
          className={clsx(
            'mt-0.5 size-5 shrink-0 text-muted transition-[transform,color] group-hover:translate-x-1',
            'group-hover:text-accent-ink',
          )}
        />
      </span>
      <span className="mt-auto block pt-6">
        {figures === undefined ? (
          <span className="block text-muted">{loading ? texts.loading : texts.empty}</span>
        ) : (
          <Figures figures={figures} />
        )}
      </span>
    </Anchor>
  );
}

function Figures({ figures }: Readonly<{ figures: RoleStatistics }>): ReactNode {
  return (
    <>
      <span className="block">
        <span className="tabular block text-3xl font-semibold tracking-tight">
          {formatNumber(figures.total_interviews)}
        </span>{' '}
        <span className="text-muted">{texts.interviews}</span>
      </span>
      <span className="mt-4 flex gap-6 border-t border-line pt-3 text-sm">
        <Small value={figures.total_media_uploads} name={texts.uploads} />
        <Small value={figures.active_users} name={texts.users} />
      </span>
    </>
  );
}

function Small({ value, name }: Readonly<{ value: number; name: string }>): ReactNode {
  return (
    <span>
      <span className="tabular text-base font-semibold">{formatNumber(value)}</span>{' '}
      <span className="block text-muted">{name}</span>
    </span>
  );
}
