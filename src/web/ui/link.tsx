import { clsx } from 'clsx';
import { createContext, useContext, type ComponentPropsWithRef, type MouseEvent, type ReactNode } from 'react';

/** How screens move without knowing the router. `state` goes into the history entry. */
export type Navigate = (href: string, options?: Readonly<{ replace?: boolean; state?: object }>) => void;

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

function isPlainClick(event: MouseEvent): boolean {
  return event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
}
