import { CloudOff, RotateCw } from '#web/ui/icons.tsx';
import { useCallback, useEffect, useState, type ReactNode } from 'react';
import type { AppConfig } from '#contract/app-config.ts';
import { loadConfig } from '#web/backend/config.ts';
import { Button } from '#web/ui/button.tsx';
import { ErrorScreen, LoadingScreen } from '#web/ui/state-screens.tsx';
import { Application } from './application.tsx';
import { appTexts } from './texts.ts';

type Loading =
  | Readonly<{ status: 'loading' | 'failed' | 'retrying' }>
  | Readonly<{ status: 'ready'; config: AppConfig }>;

/** Asks what this installation is before anything else is shown. */
export function Boot(): ReactNode {
  const [state, setState] = useState<Loading>({ status: 'loading' });
  const load = useCallback(() => {
    loadConfig().then(
      (config) => setState({ status: 'ready', config }),
      () => setState({ status: 'failed' }),
    );
  }, []);
  useEffect(load, [load]);
  if (state.status === 'ready') return <Application config={state.config} />;
  if (state.status === 'loading')
    return (
      <Whole>
        <LoadingScreen text={appTexts.initialising} />
      </Whole>
    );
  const retry = (): void => {
    setState({ status: 'retrying' });
    load();
  };
  const texts = appTexts.offline;
  return (
    <Whole>
      <ErrorScreen
        title={texts.title}
        icon={<CloudOff aria-hidden className="size-7" />}
        action={
          <Button
            icon={<RotateCw aria-hidden className="size-5" />}
            busy={state.status === 'retrying'}
            busyLabel={texts.retrying}
            onClick={retry}
          >
            {texts.retry}
          </Button>
        }
      >
        {texts.text}
      </ErrorScreen>
    </Whole>
  );
}

function Whole({ children }: Readonly<{ children: ReactNode }>): ReactNode {
  return <main className="flex min-h-dvh flex-col">{children}</main>;
}
