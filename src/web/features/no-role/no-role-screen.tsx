import { LogOut, RotateCw } from '#web/ui/icons.tsx';
import { ShieldQuestionMark } from '#web/ui/screen-icons.ts';
import { useEffect, useState, type ReactNode } from 'react';
import { homeOf } from '#contract/areas.ts';
import { useSession, useSessionStore } from '#web/backend/session.ts';
import { Button } from '#web/ui/button.tsx';
import { useNavigate } from '#web/ui/link.tsx';
import { Notice } from '#web/ui/notice.tsx';
import { ErrorScreen } from '#web/ui/state-screens.tsx';
import { noRoleTexts } from './texts.ts';

/** §2.13. As soon as there is a role the user goes where it belongs. */
export function NoRoleScreen({ onLogout }: Readonly<{ onLogout: () => void }>): ReactNode {
  const store = useSessionStore();
  const session = useSession();
  const navigate = useNavigate();
  const [refresh, setRefresh] = useState<'idle' | 'busy' | 'done'>('idle');
  const role = session.status === 'signed-in' ? session.role : undefined;
  const busy = refresh === 'busy' || role?.status === 'loading';
  const home = role?.status === 'known' ? homeOf(role.role) : undefined;
  useEffect(() => {
    if (refresh === 'done' && home !== undefined) navigate(home, { replace: true });
  }, [refresh, home, navigate]);
  const again = async (): Promise<void> => {
    setRefresh('busy');
    await store.refreshRole();
    setRefresh('done');
  };
  return (
    <ErrorScreen
      title={noRoleTexts.title}
      icon={<ShieldQuestionMark aria-hidden className="size-7" />}
      action={
        <>
          <Button
            icon={<RotateCw aria-hidden className="size-5" />}
            busy={busy}
            busyLabel={noRoleTexts.refreshing}
            onClick={() => void again()}
          >
            {noRoleTexts.refresh}
          </Button>
          <Button variant="secondary" icon={<LogOut aria-hidden className="size-5" />} onClick={onLogout}>
            {noRoleTexts.logout}
          </Button>
        </>
      }
    >
      <p>{noRoleTexts.message}</p>
      {session.status === 'signed-in' && (
        <p className="mt-6 text-base">
          {noRoleTexts.signedInAs} <strong className="font-medium break-all text-ink">{session.user.email}</strong>
        </p>
      )}
      {refresh === 'done' && role?.status === 'none' && (
        <div className="mt-6 text-left text-base">
          <Notice live>{noRoleTexts.stillNone}</Notice>
        </div>
      )}
    </ErrorScreen>
  );
}
