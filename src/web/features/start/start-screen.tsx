import type { ReactNode } from 'react';
import { ownArea } from '#contract/areas.ts';
import { useSession, useUser } from '#web/backend/session.ts';
import { ScreenTitle } from '#web/ui/screen-title.tsx';
import { NextSteps } from './next-steps.tsx';
import { Options, OPTIONS } from './options.tsx';
import { startTexts } from './texts.ts';

/**
 * §2.4: the cards keep the generic paths, the guard forwards to the own area (D2, D6). A way that the own area does not
 * have would end at the login (D3: no dead ends), so it is not offered.
 */
export function StartScreen(): ReactNode {
  const session = useSession();
  const user = useUser();
  const role = session.status === 'signed-in' && session.role.status === 'known' ? session.role.role : null;
  const flows = ownArea(role)?.flows ?? [];
  return (
    <div className="mx-auto w-full max-w-page px-4 py-8 sm:px-6 sm:py-14">
      <ScreenTitle tabTitle={startTexts.tab}>{startTexts.greeting(user?.username ?? '')}</ScreenTitle>
      <p className="mt-3 mb-8 max-w-measure text-lg text-muted sm:mb-10">{startTexts.lead}</p>
      <Options base="" options={OPTIONS.filter((option) => flows.includes(option))} />
      <NextSteps />
    </div>
  );
}
