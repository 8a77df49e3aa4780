import { clsx } from 'clsx';
import { createContext, useContext, type ComponentPropsWithRef, type MouseEvent, type ReactNode } from 'react';
import { ArrowLeft } from './icons.tsx';

/**
 * How screens move without knowing the router. `state` goes into the history entry; `ignoreBlocker`: the leave guard
 * does not ask.
 */
export type Navigate = (
  href: string,
  options?: Readonly<{ replace?: boolean; state?: object; ignoreBlocker?: boolean }>,
) => void;

const Context = createContext<Navigate>((href) => window.location.assign(href));

export const NavigationProvider = Context.Provider;

export function useNavigate(): Navigate {
  return useContext(Context);
}

export type AnchorProps = ComponentPropsWithRef<'a'> & Readonly<{ href: string }>;

/** An anchor that stays inside the application for plain clicks on its own paths. No look of its own. */
export function Anchor({ href, onClick, children, ...rest }: AnchorProps): ReactNode {
  const navigate = useNavigate();
  const follow = (event: MouseEvent<HTMLAnchorElement>): void => {
    onClick?.(event);
    if (event.defaultPrevented || !isPlainClick(event) || !href.startsWith('/') || rest.target !== undefined) return;
    event.preventDefault();
    navigate(href);
  };
  return (
    <a {...rest} href={href} onClick={follow}>
      {children}
    </a>
  );
}

/** A link inside or below text. */
export function Link({ className, ...rest }: AnchorProps): ReactNode {
  return (
    <Anchor
      {...rest}
      className={clsx(
        'rounded-sm font-medium text-accent-ink underline decoration-current/40 underline-offset-4 transition-colors',
        'hover:decoration-current',
        className,
      )}
    />
  );
}

/** Above the title of a screen. */
export function BackLink({ children, ...rest }: Omit<AnchorProps, 'className'>): ReactNode {
  return (
    <Link {...rest} className="touch inline-flex items-center gap-2">
      <ArrowLeft className="size-4" />
      {children}
    </Link>
  );
}

function isPlainClick(event: MouseEvent): boolean {
  return event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
}
