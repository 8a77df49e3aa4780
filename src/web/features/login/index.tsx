import { type ReactNode, type SubmitEvent, useRef, useState } from 'react';
import type { Brand } from '#contract/app-config.ts';
import type { Arrival } from '#web/backend/arrival.ts';
import { useAppConfig } from '#web/backend/config.ts';
import { useSession } from '#web/backend/session.ts';
import type { SetPasswordResult } from '#web/backend/sign-in.ts';
import { Button, ButtonLink } from '#web/ui/button.tsx';
import { PasswordField } from '#web/ui/form-fields.tsx';
import { useNavigate } from '#web/ui/link.tsx';
import { Notice } from '#web/ui/notice.tsx';
import { ScreenTitle } from '#web/ui/screen-title.tsx';
import { ErrorScreen, LoadingScreen } from '#web/ui/state-screens.tsx';
import { useToast } from '#web/ui/toast.tsx';
import { AccountColumn, FailureNotice, readField, useAccountRequest, useLeaveOnceSet } from './address-form.tsx';
import { LoginForm } from './login-form.tsx';
import { OtherWays } from './other-ways.tsx';
import { arrivalTexts, loginTexts, newPasswordTexts as texts } from './texts.ts';

export { CompanyLoginScreen, ForgottenPasswordScreen, MailCodeScreen } from './address-screens.tsx';

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

/** D15: for the session that a link or code from a mail opened. After a link that led nowhere it may be another's. */
export function NewPasswordScreen({ arrival }: Readonly<{ arrival: Arrival | undefined }>): ReactNode {
  const session = useSession();
  if (session.status === 'initialising') return <LoadingScreen text={texts.checking} />;
  if (arrival !== undefined || session.status === 'signed-out') {
    const locked = arrival === 'locked';
    const { title, text, onward } = locked ? texts.locked : texts.expired;
    return (
      <ErrorScreen
        title={title}
        action={
          <ButtonLink href={locked ? '/login' : '/passwort-vergessen'} variant="primary">
            {onward}
          </ButtonLink>
        }
      >
        {text}
      </ErrorScreen>
    );
  }
  return (
    <AccountColumn title={texts.title} lead={texts.lead}>
      <NewPasswordForm recovery={session.recovery} />
    </AccountColumn>
  );
}

type State = Readonly<{ busy: boolean; problem?: 'short' | 'different'; failure?: string | undefined }>;

function NewPasswordForm({ recovery }: Readonly<{ recovery: boolean }>): ReactNode {
  const request = useAccountRequest();
  const { passwordLength = 10 } = useAppConfig();
  const navigate = useNavigate();
  const toast = useToast();
  useLeaveOnceSet(recovery);
  const form = useRef<HTMLFormElement>(null);
  const [state, setState] = useState<State>({ busy: false });
  const save = async (password: string): Promise<void> => {
    setState({ busy: true });
    const result = await request((calls, backend) => calls.setPassword(backend, password));
    const failure = formatFailure(result);
    if (failure !== undefined) {
      setState({ busy: false, failure });
      return;
    }
    toast({ ...texts.saved, variant: 'good' });
    // Null once the screen has been left.
    if (form.current !== null) navigate('/login', { replace: true });
  };
  const submit = (event: SubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    if (state.busy) return;
    const password = readField(event.currentTarget, 'password');
    if (password.length < passwordLength) setState({ busy: false, problem: 'short' });
    else if (password !== readField(event.currentTarget, 'repeat')) setState({ busy: false, problem: 'different' });
    else void save(password);
  };
  return (
    <form ref={form} noValidate onSubmit={submit} className="flex flex-col gap-5">
      <PasswordField
        label={texts.password}
        name="password"
        autoComplete="new-password"
        hint={texts.hint(passwordLength)}
        error={state.problem === 'short' ? texts.tooShort(passwordLength) : undefined}
      />
      <PasswordField
        label={texts.repeat}
        name="repeat"
        autoComplete="new-password"
        error={state.problem === 'different' ? texts.different : undefined}
      />
      <FailureNotice text={state.failure} />
      <Button type="submit" wide busy={state.busy} busyLabel={texts.submitting}>
        {texts.submit}
      </Button>
    </form>
  );
}

function formatFailure(result: SetPasswordResult | 'unreachable'): string | undefined {
  if (result === 'unreachable') return texts.failed;
  if (result.ok) return undefined;
  return result.reason === 'session' ? texts.expired.title : texts[result.reason];
}
