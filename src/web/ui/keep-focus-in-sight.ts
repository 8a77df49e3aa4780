/**
 * A list that arrives moves the footer, which is below it; a link there that the keyboard has reached stays in sight
 * (WCAG 2.4.7). Returns the function that ends it.
 */
export function keepFocusInSight(): (() => void) | undefined {
  if (!('ResizeObserver' in globalThis)) return undefined;
  const sizes = new ResizeObserver(() =>
    document.querySelector('body footer :focus-visible')?.scrollIntoView({ block: 'nearest' }),
  );
  sizes.observe(document.body);
  return () => sizes.disconnect();
}
