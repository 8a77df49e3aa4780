import { clsx } from 'clsx';
import type { ReactNode } from 'react';
import type { Role } from '#contract/roles.ts';
import { keepNavigationClear } from '#web/ui/keep-clear.ts';
import { Anchor } from '#web/ui/link.tsx';
import { CirclePlus, House, Inbox, Layers, LayoutDashboard } from '#web/ui/screen-icons.ts';
import { lazyPart } from './lazy-parts.tsx';
import { listNavigation, type NavigationItem } from './navigation.ts';
import type { RouteMatch } from './routes.ts';
import { appTexts } from './texts.ts';

const ICONS = { admin: LayoutDashboard, inbox: Inbox, home: House, new: CirclePlus, own: Layers } as const;

/** Only for administrators, so it is fetched apart. */
const NewCount = lazyPart('new-count', () => import('./new-count.tsx').then((module) => module.NewCount));

type NavigationProps = Readonly<{ role: Role; match: RouteMatch | undefined }>;

/** Where the header is wide enough for it. */
export function HeaderNavigation(props: NavigationProps): ReactNode {
  return (
    <nav aria-label={appTexts.navigation.label} className="hidden lg:block">
      <Items
        {...props}
        listClass="flex items-center"
        linkClass="touch relative inline-flex items-center gap-2 rounded-control px-3 text-sm font-medium"
        idleClass="text-muted hover:bg-sunken hover:text-ink"
      />
    </nav>
  );
}

/**
 * Below that at the lower edge, within the thumb's reach. It ends above the foot of the page, so it covers nothing for
 * good; where the window is low, at 400 % say, it stands there only.
 */
export function BarNavigation(props: NavigationProps): ReactNode {
  return (
    <nav
      ref={keepNavigationClear}
      aria-label={appTexts.navigation.label}
      className={clsx(
        'z-10 border-t border-line bg-paper px-1 lg:hidden',
        'sticky bottom-0 pb-[env(safe-area-inset-bottom)] short:static',
      )}
    >
      <Items
        {...props}
        listClass="mx-auto flex max-w-column"
        linkClass={
          'relative flex min-h-14 flex-col items-center gap-1 rounded-control px-0.5 pt-2 pb-1.5 text-center ' +
          'text-[min(0.6875rem,4.2vw)] leading-tight font-medium hyphens-auto'
        }
        idleClass="text-muted"
      />
    </nav>
  );
}

type ItemsProps = NavigationProps & Readonly<{ listClass: string; linkClass: string; idleClass: string }>;

function Items({ role, match, listClass, linkClass, idleClass }: ItemsProps): ReactNode {
  return (
    <ul className={listClass}>
      {listNavigation(role, match).map((item) => (
        <li key={item.id} className="max-lg:flex-auto">
          <Item {...item} className={clsx(linkClass, item.current === undefined ? idleClass : 'text-accent-ink')} />
        </li>
      ))}
    </ul>
  );
}

function Item({ id, href, current, className }: NavigationItem & Readonly<{ className: string }>): ReactNode {
  const Icon = ICONS[id];
  return (
    <Anchor href={href} aria-current={current} className={clsx('transition-colors', className)}>
      {current !== undefined && (
        <span aria-hidden className="absolute inset-x-3 top-0 h-0.5 rounded-full bg-accent lg:top-auto lg:bottom-0" />
      )}
      <Icon className="size-5 lg:hidden" />
      <span className="max-w-full lg:whitespace-nowrap">{appTexts.navigation.items[id]}</span>
      {id === 'inbox' && <NewCount />}
    </Anchor>
  );
}
