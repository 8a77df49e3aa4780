import { type ReactNode, useEffect, useState } from 'react';
import type { Brand } from '#contract/app-config.ts';
import { getHome } from '#contract/areas.ts';
import { useSession, useSessionStore } from '#web/backend/session.ts';
import { Button, ButtonLink } from '#web/ui/button.tsx';
import { LogOut, RotateCw } from '#web/ui/icons.tsx';
import { useNavigate } from '#web/ui/link.tsx';
import { Notice } from '#web/ui/notice.tsx';
import { ShieldQuestionMark } from '#web/ui/screen-icons.ts';
import { ScreenTitle } from '#web/ui/screen-title.tsx';
import { ErrorScreen } from '#web/ui/state-screens.tsx';
import { legalTexts, noRoleTexts, notFoundTexts } from './texts.ts';

/** Served by the application itself while the brand's addresses are its own (D8). */
export function LegalScreen({ page, brand }: Readonly<{ page: 'imprint' | 'privacy'; brand: Brand }>): ReactNode {
  const { title, lead } = legalTexts[page];
  return (
    <div className="mx-auto w-full max-w-column px-4 pt-6 pb-10 sm:px-6 sm:pt-12 sm:pb-16">
      <ScreenTitle>{title}</ScreenTitle>
      <p className="mt-3 text-lg text-muted">{lead}</p>
      <p className="mt-8 mb-6">{legalTexts.operator(brand.association)}</p>
      <Notice tone="caution" title={legalTexts.missing}>
        {legalTexts.todo}
      </Notice>
    </div>
  );
}

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

/** §2.13. As soon as there is a role the user goes where it belongs. */
export function NoRoleScreen({ onLogout }: Readonly<{ onLogout: () => void }>): ReactNode {
  const store = useSessionStore();
  const session = useSession();
  const navigate = useNavigate();
  const [refresh, setRefresh] = useState<'idle' | 'busy' | 'done'>('idle');
  const role = session.status === 'signed-in' ? session.role : undefined;
  const busy = refresh === 'busy' || role?.status === 'loading';
  const home = role?.status === 'known' ? getHome(role.role) : undefined;
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
      icon={ShieldQuestionMark}
      action={
        <>
          <Button icon={RotateCw} busy={busy} busyLabel={noRoleTexts.refreshing} onClick={() => void again()}>
            {noRoleTexts.refresh}
          </Button>
          <Button variant="secondary" icon={LogOut} onClick={onLogout}>
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
