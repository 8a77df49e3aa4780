import { clsx } from 'clsx';
import { createContext, useContext, useEffect, useRef, type ReactNode } from 'react';
import { tellScreenShown } from './after-load.ts';
import { useLeaveFlows } from './toast.tsx';

/** The product's name (D8), shown in the browser's title after the screen's own. */
const ProductName = createContext('');

export const ProductNameProvider = ProductName.Provider;

let firstScreen = true;

/**
 * The one h1 of a screen: names the browser's tab and, on a change of screen, takes the focus so that screen readers
 * read it. The first screen leaves the focus alone, and so does a screen whose own control has it already.
 */
export function ScreenTitle({
  children,
  className,
  tabTitle,
}: Readonly<{ children: string; className?: string; tabTitle?: string }>): ReactNode {
  const product = useContext(ProductName);
  const heading = useRef<HTMLHeadingElement>(null);
  const name = tabTitle ?? children;
  useLeaveFlows();
  useEffect(() => {
    document.title = [name, product].filter(Boolean).join(' · ');
  }, [name, product]);
  useEffect(() => {
    const busy = heading.current?.closest('main')?.contains(document.activeElement) ?? false;
    if (!firstScreen && !busy) heading.current?.focus({ preventScroll: true });
    firstScreen = false;
    tellScreenShown();
  }, []);
  return (
    <h1 ref={heading} tabIndex={-1} className={clsx('font-semibold', className ?? 'text-2xl sm:text-3xl')}>
      {children}
    </h1>
  );
}
