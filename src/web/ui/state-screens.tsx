import { clsx } from 'clsx';
import { CircleAlert, type Icon } from './icons.tsx';
import type { ReactNode } from 'react';
import { Mark } from './mark.tsx';
import { ScreenTitle } from './screen-title.tsx';

/** A whole screen while something decides what comes: always with words. */
export function LoadingScreen({ text }: Readonly<{ text: string }>): ReactNode {
  return (
    <div className="flex min-h-[calc(100dvh-var(--header-height))] flex-1 flex-col items-center justify-center gap-6 px-6">
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
  icon: Shape = CircleAlert,
  drawing,
}: Readonly<{
  title: string;
  children?: ReactNode;
  action?: ReactNode;
  icon?: Icon;
  /** Instead of the icon. */
  drawing?: ReactNode;
}>): ReactNode {
  return (
    <div
      className={clsx(
        'mx-auto flex min-h-[60dvh] w-full max-w-column flex-1 flex-col items-center justify-center px-6',
        'py-12 text-center',
      )}
    >
      {drawing ?? (
        <span
          className={clsx(
            'mb-6 flex size-16 items-center justify-center rounded-card border border-line bg-surface',
            'text-muted',
          )}
        >
          <Shape className="size-7" />
        </span>
      )}
      <ScreenTitle className="text-2xl">{title}</ScreenTitle>
      {children !== undefined && <div className="mt-3 max-w-measure text-lg text-muted">{children}</div>}
      {action !== undefined && <div className="mt-8 flex flex-wrap justify-center gap-3">{action}</div>}
    </div>
  );
}
