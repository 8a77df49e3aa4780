import type { RefCallback } from 'react';

/** What stands at the lower edge of a phone's screen says how much of it is taken, so that a toast stays above it. */
function keepClear(name: string): RefCallback<HTMLElement> {
  const all = new Set<HTMLElement>();
  const tell = (): void => setHeight(name, Math.max(0, ...[...all].map(taken)));
  return (element) => {
    if (element === null) return undefined;
    all.add(element);
    const sizes = 'ResizeObserver' in globalThis ? new ResizeObserver(tell) : undefined;
    sizes?.observe(element);
    // What grows above it moves it, too.
    sizes?.observe(document.body);
    window.addEventListener('scroll', tell, { passive: true });
    tell();
    return () => {
      window.removeEventListener('scroll', tell);
      sizes?.disconnect();
      all.delete(element);
      tell();
    };
  };
}

/**
 * At the end of a page the foot of the page stands below it; a sheet that still rises is lower than it will be. What
 * scrolls with the page or is hidden takes nothing.
 */
function taken(element: HTMLElement): number {
  if (getComputedStyle(element).position === 'static' || element.offsetHeight === 0) return 0;
  return Math.round(Math.max(element.offsetHeight, window.innerHeight - element.getBoundingClientRect().top));
}

/** Of the actions of a flow. */
export const keepBarClear = keepClear('--bar-height');
/** Of the navigation of the application. */
export const keepNavigationClear = keepClear('--navigation-height');
/** Of a dialog. */
export const keepSheetClear = keepClear('--sheet-height');

export function setHeight(name: string, height: number): void {
  document.documentElement.style.setProperty(name, `${height}px`);
}
