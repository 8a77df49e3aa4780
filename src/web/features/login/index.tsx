import type { ReactNode } from 'react';
import type { Brand } from '#contract/app-config.ts';
import type { Arrival } from '#web/backend/arrival.ts';
import { Notice } from '#web/ui/notice.tsx';
import { ScreenTitle } from '#web/ui/screen-title.tsx';
import { LoginForm } from './login-form.tsx';
import { OtherWays } from './other-ways.tsx';
import { arrivalTexts, loginTexts } from './texts.ts';

export { CompanyLoginScreen, ForgottenPasswordScreen, MailCodeScreen } from './address-screens.tsx';
export { NewPasswordScreen } from './new-password-screen.tsx';

type LoginScreenProps = Readonly<{
  brand: Brand;
  denied: boolean;
  idle: boolean;
  arrival: Arrival | undefined;
  /** What waits on this device for a login; it comes later and moves nothing. */
  waiting: ReactNode;
}>;

/** §2.2. The route guard redirects after the login. */
export function LoginScreen({ brand, denied, idle, arrival, waiting }: LoginScreenProps): ReactNode {
  const tone = arrival === 'other-mailbox' ? 'info' : 'caution';
  return (
    <div className="grid flex-1 lg:grid-cols-[minmax(0,1fr)_minmax(0,1.1fr)]">
      <div className="flex flex-col px-4 sm:px-6 lg:pl-[max(1.5rem,calc(50vw-34rem))]">
        <div className="min-h-10 flex-1 sm:min-h-16" />
        <div className="mx-auto w-full max-w-sm lg:mx-0">
          <p className="mb-2 text-sm font-medium text-muted">{brand.association}</p>
          <ScreenTitle>{loginTexts.title}</ScreenTitle>
          <p className="mt-3 mb-8 text-muted">{loginTexts.lead}</p>
          {denied && (
            <Notice className="mb-6" tone="caution" title={loginTexts.denied.title} live>
              {loginTexts.denied.text}
            </Notice>
          )}
          {idle && (
            <Notice className="mb-6" title={loginTexts.idle.title} live>
              {loginTexts.idle.text}
            </Notice>
          )}
          {arrival !== undefined && (
            <Notice className="mb-6" tone={tone} title={arrivalTexts[arrival].title} live>
              {arrivalTexts[arrival].text}
            </Notice>
          )}
          <LoginForm />
          <OtherWays />
        </div>
        <div className="mx-auto min-h-18 w-full max-w-sm flex-1 py-4 lg:mx-0">{waiting}</div>
      </div>
      <Story />
    </div>
  );
}

const WIDTH = 560;
const STEP = 8;
const BARS = Array.from({ length: WIDTH / STEP }, (_, index) => {
  const along = index / (WIDTH / STEP);
  const swell = Math.sin(along * Math.PI) ** 1.4;
  const voice = 0.55 + 0.3 * Math.sin(index * 0.9) + 0.15 * Math.sin(index * 2.3 + 1);
  return 4 + 108 * swell * voice;
});

/** Explains the product in three steps, on large screens. */
function Story(): ReactNode {
  const { title, steps, details } = loginTexts.story;
  return (
    <aside className="hidden border-l border-line bg-sunken lg:flex lg:flex-col lg:justify-center lg:px-12 xl:px-20">
      <div className="max-w-xl">
        <svg viewBox={`0 0 ${WIDTH} 120`} aria-hidden className="mb-12 w-full text-accent">
          {BARS.map((height, index) => (
            <rect
              key={index}
              x={index * STEP + 2}
              y={60 - height / 2}
              width="3"
              height={height}
              rx="1.5"
              className={index < BARS.length * 0.62 ? 'fill-current' : 'fill-line-strong'}
            />
          ))}
        </svg>
        <p className="text-2xl font-semibold tracking-tight text-balance xl:text-3xl">{title}</p>
        <ol className="mt-10 flex flex-col">
          {steps.map((step, index) => (
            <li key={step} className="flex gap-6 border-t border-line py-4">
              <span aria-hidden className="tabular w-4 font-semibold text-accent-ink">
                {index + 1}
              </span>
              <span>
                <span className="font-medium">{step}</span>
                <span className="mt-0.5 block text-muted">{details[index]}</span>
              </span>
            </li>
          ))}
        </ol>
      </div>
    </aside>
  );
}
