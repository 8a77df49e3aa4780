import { LogIn } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { useSessionStore } from '#web/backend/session.ts';
import { Button } from '#web/ui/button.tsx';
import { Notice } from '#web/ui/notice.tsx';
import { providerName } from './provider-name.ts';
import { providerTexts as texts } from './texts.ts';

type State = Readonly<{ going?: string; failure?: string }>;

/** One button a provider that the backend lets people in from ([auth.external.*]). */
export function ProviderButtons({ providers }: Readonly<{ providers: readonly string[] }>): ReactNode {
  const store = useSessionStore();
  const [state, setState] = useState<State>({});
  if (providers.length === 0) return null;
  const go = async (provider: string): Promise<void> => {
    if (state.going !== undefined) return;
    setState({ going: provider });
    const answer = await Promise.all([store.backend(), import('#web/backend/other-logins.ts')])
      .then(([backend, calls]) => calls.providerLogin(backend, provider))
      .catch(() => ({ kind: 'unreachable' }) as const);
    if (answer.kind === 'go') location.assign(answer.url);
    else setState({ failure: answer.kind === 'unknown' ? texts.silent(providerName(provider)) : texts[answer.kind] });
  };
  return (
    <div className="mt-6 flex flex-col gap-3 border-t border-line pt-6">
      {providers.map((provider) => (
        <Button
          key={provider}
          variant="secondary"
          wide
          icon={<LogIn aria-hidden className="size-5" />}
          busy={state.going === provider}
          busyLabel={texts.busy}
          onClick={() => void go(provider)}
        >
          {texts.with(providerName(provider))}
        </Button>
      ))}
      {state.failure !== undefined && (
        <Notice tone="error" live>
          {state.failure}
        </Notice>
      )}
    </div>
  );
}
