import { Component, type ReactNode, useState } from 'react';
import { useSessionStore } from '#web/backend/session.ts';
import { Button, RetryButton } from '#web/ui/button.tsx';
import { CloudOff, RotateCw } from '#web/ui/icons.tsx';
import { ErrorScreen } from '#web/ui/state-screens.tsx';
import { forgetFailedLoads } from './lazy-parts.tsx';
import { appTexts } from './texts.ts';

type State = Readonly<{ failed: boolean }>;

/** Give it the path as key: another screen is another attempt. */
export class ErrorBoundary extends Component<Readonly<{ children: ReactNode }>, State> {
  override state: State = { failed: false };

  static getDerivedStateFromError(): State {
    return { failed: true };
  }

  override componentDidCatch(): void {
    forgetFailedLoads();
  }

  override render(): ReactNode {
    return this.state.failed ? <Crashed /> : this.props.children;
  }
}

/** A screen that threw, or whose code could not be loaded (no network, or a newer version was installed meanwhile). */
function Crashed(): ReactNode {
  const texts = appTexts.crashed;
  return (
    <ErrorScreen
      title={texts.title}
      action={
        <Button icon={RotateCw} onClick={() => window.location.reload()}>
          {texts.reload}
        </Button>
      }
    >
      {texts.text}
    </ErrorScreen>
  );
}

/** Logged in, while neither the backend nor this browser's storage names the role. */
export function RoleUnreachable(): ReactNode {
  const store = useSessionStore();
  const [busy, setBusy] = useState(false);
  const retry = async (): Promise<void> => {
    setBusy(true);
    await store.refreshRole();
    setBusy(false);
  };
  const texts = appTexts.roleUnreachable;
  return (
    <ErrorScreen
      title={texts.title}
      icon={CloudOff}
      action={
        <RetryButton variant="primary" busy={busy} busyLabel={appTexts.loadingUser} onClick={() => void retry()} />
      }
    >
      {texts.text}
    </ErrorScreen>
  );
}
