import { clsx } from 'clsx';
import type { ReactNode } from 'react';
import type { Role } from '#contract/roles.ts';
import { useAppConfig } from '#web/backend/config.ts';
import { useSession } from '#web/backend/session.ts';
import { CircleUser, LogOut } from '#web/ui/icons.tsx';
import { Anchor } from '#web/ui/link.tsx';
import { Mark } from '#web/ui/mark.tsx';
import { findHome } from './navigation.ts';
import type { RouteMatch, Screen } from './routes.ts';
import { HeaderNavigation, OutboxSender } from './screens.tsx';
import { appTexts } from './texts.ts';
import { useLogout } from './use-logout.ts';

/** These have their own way in, or need none. */
const WITHOUT_LOGIN_LINK: readonly (Screen | undefined)[] = [
  'login',
  'forgotten-password',
  'new-password',
  'mail-code',
  'company-login',
  'review',
];

type HeaderProps = Readonly<{
  /** Of a person who may go where they like. */
  role: Role | undefined;
  match: RouteMatch | undefined;
}>;

/** §2.3. */
export function Header({ role, match }: HeaderProps): ReactNode {
  return (
    <header className="fixed short:absolute inset-x-0 top-0 z-20 h-(--header-height) border-b border-line bg-paper">
      <div className="mx-auto flex h-full max-w-page items-center justify-between gap-2 px-4 sm:px-6">
        <Product role={role} />
        {role !== undefined && <HeaderNavigation role={role} match={match} />}
        <div className="flex min-w-0 shrink-0 items-center gap-1">
          <OutboxSender />
          <UserPart screen={match?.entry.screen} />
        </div>
      </div>
    </header>
  );
}

/**
 * Wraps instead of cutting the end off, for large or wide letters (WCAG 1.4.12). Where letters are set on whole pixels
 * the last one reaches 2 px beyond the width that is measured, so there is room for it.
 */
const TITLE = 'line-clamp-4 pr-1 text-[min(0.8125rem,4.5vw)]/tight font-semibold tracking-tight sm:text-base/tight';

/** §2.3: the title is a link to `/`. The logo leads to the own area (decision 0274). */
function Product({ role }: Readonly<{ role: Role | undefined }>): ReactNode {
  const { product } = useAppConfig().brand;
  if (role === undefined) {
    return (
      <Anchor href="/" className="touch -mx-2 inline-flex min-w-0 items-center gap-2.5 rounded-control px-2 sm:gap-3">
        <Mark className="size-8" />
        <span className={TITLE}>{product}</span>
      </Anchor>
    );
  }
  return (
    <div className="-ml-2 flex min-w-0 items-center">
      <Anchor
        href={findHome(role)}
        title={appTexts.ownArea}
        aria-label={appTexts.ownArea}
        className="touch inline-flex shrink-0 items-center justify-center rounded-control hover:bg-sunken"
      >
        <Mark className="size-8" />
      </Anchor>
      <Anchor href="/" className="touch inline-flex min-w-0 items-center rounded-control px-1.5">
        <span className={TITLE}>{product}</span>
      </Anchor>
    </div>
  );
}

const HEADER_LINK = clsx(
  'touch inline-flex items-center justify-center gap-2 rounded-control px-2 text-sm',
  'transition-colors hover:bg-sunken sm:px-3',
);

function UserPart({ screen }: Readonly<{ screen: Screen | undefined }>): ReactNode {
  const session = useSession();
  const logout = useLogout();
  if (session.status === 'signed-in' && screen !== 'no-role') {
    return (
      <div className="flex min-w-0 shrink-0 items-center gap-1 sm:gap-3">
        <Anchor
          href="/konto"
          title={session.user.email}
          aria-label={appTexts.findAccount(session.user.username)}
          aria-current={screen === 'account' ? 'page' : undefined}
          className={clsx(HEADER_LINK, screen === 'account' ? 'text-accent-ink' : 'text-muted hover:text-ink')}
        >
          <CircleUser className="size-5" />
          <span className="hidden max-w-48 truncate sm:max-lg:block xl:block xl:max-w-32">{session.user.username}</span>
        </Anchor>
        <button
          type="button"
          title={appTexts.logout}
          aria-label={appTexts.logout}
          onClick={logout}
          className={clsx(HEADER_LINK, 'font-medium')}
        >
          <LogOut className="size-5" />
          <span aria-hidden className="hidden sm:inline">
            {appTexts.logout}
          </span>
        </button>
      </div>
    );
  }
  if (session.status !== 'signed-out' || WITHOUT_LOGIN_LINK.includes(screen)) return null;
  return (
    <Anchor
      href="/login"
      className="touch inline-flex items-center rounded-control px-3 text-sm font-medium hover:bg-sunken"
    >
      {appTexts.signIn}
    </Anchor>
  );
}

const LINK = 'touch inline-flex items-center rounded-sm px-2 underline-offset-4 hover:text-ink hover:underline';

const THIS_YEAR = new Date().getFullYear();

/** The association, the year (§9) and the law (D8), on every screen. */
export function Footer(): ReactNode {
  const { brand } = useAppConfig();
  return (
    <footer className="border-t border-line">
      <div
        className={clsx(
          'mx-auto flex max-w-page flex-wrap items-center justify-between gap-x-6 px-4 py-2 text-sm',
          'text-muted sm:px-6',
        )}
      >
        <p className="tabular py-2">
          © {THIS_YEAR} {brand.association}
        </p>
        <nav aria-label={appTexts.legal} className="-mx-2 flex flex-wrap gap-x-2">
          <Anchor href={brand.imprintUrl} className={LINK}>
            {appTexts.imprint}
          </Anchor>
          <Anchor href={brand.privacyUrl} className={LINK}>
            {appTexts.privacy}
          </Anchor>
        </nav>
      </div>
    </footer>
  );
}
