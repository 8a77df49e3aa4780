import { clsx } from 'clsx';
import { CircleAlert } from './icons.tsx';
import type { ReactNode } from 'react';
import { Mark } from './mark.tsx';
import { ScreenTitle } from './screen-title.tsx';

/** A list or panel with nothing in it yet: what it is for and what to do. */
export function EmptyState({
  icon,
  title,
  children,
  action,
}: Readonly<{ icon?: ReactNode; title: string; children?: ReactNode; action?: ReactNode }>): ReactNode {
  return (
    <div
      className={clsx(
        'flex flex-col items-center gap-1 rounded-card border border-dashed border-line px-6 py-10',
        'text-center',
      )}
    >
      {icon !== undefined && <span className="mb-2 text-muted">{icon}</span>}
      <p className="font-medium">{title}</p>
      {children !== undefined && <div className="max-w-measure text-muted">{children}</div>}
      {action !== undefined && <div className="mt-4">{action}</div>}
    </div>
  );
}

/** A whole screen while something decides what comes: always with words. */
export function LoadingScreen({ text }: Readonly<{ text: string }>): ReactNode {
  return (
    <div className="flex min-h-[60dvh] flex-1 flex-col items-center justify-center gap-6 px-6">
      <Mark className="size-12" live />
      <output className="text-lg text-muted">{text}</output>
    </div>
  );
}

/** A whole screen where nothing can go on: what happened, what is safe, what to do next. */
export function ErrorScreen({
  title,
  children,
  action,
  icon,
}: Readonly<{ title: string; children?: ReactNode; action?: ReactNode; icon?: ReactNode }>): ReactNode {
  return (
    <div
      className={clsx(
        'mx-auto flex min-h-[60dvh] w-full max-w-column flex-1 flex-col items-center justify-center px-6',
        'py-12 text-center',
      )}
    >
      <span
        className={clsx(
          'mb-6 flex size-16 items-center justify-center rounded-card border border-line bg-surface',
          'text-muted',
        )}
      >
        {icon ?? <CircleAlert aria-hidden className="size-7" />}
      </span>
      <ScreenTitle className="text-2xl">{title}</ScreenTitle>
      {children !== undefined && <div className="mt-3 max-w-measure text-lg text-muted">{children}</div>}
      {action !== undefined && <div className="mt-8 flex flex-wrap justify-center gap-3">{action}</div>}
    </div>
  );
}
