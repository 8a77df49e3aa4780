import { clsx } from 'clsx';
import type { MouseEvent, ReactNode } from 'react';
import type { Role } from '#contract/roles.ts';
import { BackLink } from '#web/ui/link.tsx';
import { findHome } from './navigation.ts';
import { useHistory } from './place.ts';
import type { RouteMatch, Screen } from './routes.ts';
import { appTexts } from './texts.ts';

/** Screens that are opened from anywhere: back leads to where one was. */
const ASIDE: readonly (Screen | undefined)[] = ['account', 'outbox', 'imprint', 'privacy'];

type WayBackProps = Readonly<{ role: Role | undefined; match: RouteMatch | undefined }>;

/** Above the screens that neither have a way back of their own nor are an item of the navigation. */
export function WayBack({ role, match }: WayBackProps): ReactNode {
  const history = useHistory();
  const above = findAbove(role, match);
  const aside = ASIDE.includes(match?.entry.screen);
  const href = above?.href ?? (role === undefined ? undefined : findHome(role));
  if (above === undefined && (!aside || (href === undefined && !history.canGoBack()))) return null;
  const goBack = (event: MouseEvent): void => {
    if (!aside || !history.canGoBack()) return;
    event.preventDefault();
    history.back();
  };
  return (
    <div
      className={clsx(
        'relative mx-auto -mb-3 w-full px-4 pt-6 sm:-mb-9 sm:px-6 sm:pt-10',
        aside ? 'max-w-column' : 'max-w-page',
      )}
    >
      <BackLink href={href ?? '/'} onClick={goBack}>
        {above?.label ?? appTexts.back}
      </BackLink>
    </div>
  );
}

function findAbove(role: Role | undefined, match: RouteMatch | undefined) {
  if (match === undefined) return undefined;
  const { screen, area } = match.entry;
  if (screen === 'dashboard' && role === 'admin') return { href: '/admin', label: appTexts.navigation.items.admin };
  if (screen === 'content-selection' && area?.dashboard !== undefined) return { href: area.home, label: appTexts.back };
  return undefined;
}
