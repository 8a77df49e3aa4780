import type { ReactNode } from 'react';
import { Link } from '#web/ui/link.tsx';
import { Notice } from '#web/ui/notice.tsx';
import { ScreenTitle } from '#web/ui/screen-title.tsx';
import { loginTexts } from './texts.ts';

type AccountColumnProps = Readonly<{
  title: string;
  lead: string;
  children: ReactNode;
}>;

/** Lays out the screens around the login in a narrow column. */
export function AccountColumn({ title, lead, children }: AccountColumnProps): ReactNode {
  return (
    <div className="mx-auto flex w-full max-w-md flex-1 flex-col justify-center px-4 py-10 sm:px-6 sm:py-16">
      <ScreenTitle className="text-2xl">{title}</ScreenTitle>
      <p className="mt-3 mb-8 text-muted">{lead}</p>
      {children}
    </div>
  );
}

export function BackToLogin(): ReactNode {
  return (
    <p className="mt-6">
      <Link href="/login" className="touch inline-flex items-center">
        {loginTexts.back}
      </Link>
    </p>
  );
}

/** Says why a request failed. */
export function FailureNotice({ text }: Readonly<{ text: string | undefined }>): ReactNode {
  if (text === undefined) return null;
  return (
    <Notice tone="error" live>
      {text}
    </Notice>
  );
}
