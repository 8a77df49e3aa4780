import type { ReactNode } from 'react';
import type { Brand } from '#contract/app-config.ts';
import type { Arrival } from '#web/backend/arrival.ts';
import { Notice } from '#web/ui/notice.tsx';
import { ScreenTitle } from '#web/ui/screen-title.tsx';
import { LoginForm } from './login-form.tsx';
import { OtherWays } from './other-ways.tsx';
import { Story } from './story.tsx';
import { arrivalTexts, loginTexts } from './texts.ts';

/** §2.2. The route guard redirects after the login. */
export function LoginScreen({
  brand,
  denied,
  arrival,
}: Readonly<{ brand: Brand; denied: boolean; arrival: Arrival | undefined }>): ReactNode {
  return (
    <div className="grid flex-1 lg:grid-cols-[minmax(0,1fr)_minmax(0,1.1fr)]">
      <div className="flex flex-col justify-center px-4 py-10 sm:px-6 lg:pl-[max(1.5rem,calc(50vw-34rem))]">
        <div className="mx-auto w-full max-w-sm lg:mx-0">
          <p className="mb-2 text-sm font-medium text-muted">{brand.association}</p>
          <ScreenTitle>{loginTexts.title}</ScreenTitle>
          <p className="mt-3 mb-8 text-muted">{loginTexts.lead}</p>
          {denied && (
            <div className="mb-6">
              <Notice tone="caution" title={loginTexts.denied.title} live>
                {loginTexts.denied.text}
              </Notice>
            </div>
          )}
          {arrival !== undefined && (
            <div className="mb-6">
              <Notice tone={arrival === 'other-mailbox' ? 'info' : 'caution'} title={arrivalTexts[arrival].title} live>
                {arrivalTexts[arrival].text}
              </Notice>
            </div>
          )}
          <LoginForm />
          <OtherWays />
        </div>
      </div>
      <Story />
    </div>
  );
}
