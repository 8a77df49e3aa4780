import type { ReactNode } from 'react';
import { ScreenTitle } from '#web/ui/screen-title.tsx';

/** Lays out the screens around the login in a narrow column. */
export function AccountColumn({
  title,
  lead,
  children,
}: Readonly<{ title: string; lead: string; children: ReactNode }>): ReactNode {
  return (
    <div className="mx-auto flex w-full max-w-md flex-1 flex-col justify-center px-4 py-10 sm:px-6 sm:py-16">
      <ScreenTitle className="text-2xl">{title}</ScreenTitle>
      <p className="mt-3 mb-8 text-muted">{lead}</p>
      {children}
    </div>
  );
}
