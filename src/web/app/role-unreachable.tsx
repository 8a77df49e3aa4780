import { CloudOff } from '#web/ui/icons.tsx';
import { useState, type ReactNode } from 'react';
import { useSessionStore } from '#web/backend/session.ts';
import { Button } from '#web/ui/button.tsx';
import { ErrorScreen } from '#web/ui/state-screens.tsx';
import { appTexts } from './texts.ts';

/** Logged in, but nobody can say as what: neither the backend nor this browser's memory. */
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
      icon={<CloudOff aria-hidden className="size-7" />}
      action={
        <Button busy={busy} busyLabel={appTexts.loadingUser} onClick={() => void retry()}>
          {texts.retry}
        </Button>
      }
    >
      {texts.text}
    </ErrorScreen>
  );
}
