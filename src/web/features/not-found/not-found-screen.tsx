import type { ReactNode } from 'react';
import { ButtonLink } from '#web/ui/button.tsx';
import { ScreenTitle } from '#web/ui/screen-title.tsx';
import { notFoundTexts } from './texts.ts';

export function NotFoundScreen(): ReactNode {
  return (
    <div lang="en" className="flex flex-1 flex-col items-center justify-center gap-3 px-6 py-24 text-center">
      <p
        aria-hidden
        className="tabular text-[clamp(5rem,22vw,9rem)] leading-none font-semibold tracking-tighter text-line-strong"
      >
        {notFoundTexts.code}
      </p>
      <ScreenTitle className="text-2xl">{notFoundTexts.title}</ScreenTitle>
      <div className="mt-5">
        <ButtonLink href="/" variant="primary">
          {notFoundTexts.home}
        </ButtonLink>
      </div>
    </div>
  );
}
