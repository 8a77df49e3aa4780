import type { ReactNode } from 'react';
import { ScreenTitle } from '#web/ui/screen-title.tsx';
import { EmailSection } from './email-section.tsx';
import { FactorsSection } from './factors-section.tsx';
import { PasswordSection } from './password-section.tsx';
import { SessionsSection } from './sessions-section.tsx';
import { accountTexts as texts } from './texts.ts';

/** /konto: for whoever is signed in, with a role or without. */
export function AccountScreen({ factorRequired }: Readonly<{ factorRequired: boolean }>): ReactNode {
  return (
    <div className="mx-auto w-full max-w-2xl px-4 py-6 sm:px-6 sm:py-10">
      <ScreenTitle>{texts.title}</ScreenTitle>
      <p className="mt-3 mb-8 text-lg text-muted">{texts.lead}</p>
      <div className="flex flex-col gap-6">
        <FactorsSection required={factorRequired} />
        <PasswordSection />
        <SessionsSection />
        <EmailSection />
      </div>
    </div>
  );
}
