const FIRST_SCREEN_MS = 1_000;

/**
 * When the first screen has had its time to come: what is only needed later is fetched then, and takes nothing from a
 * slow line before.
 */
export function afterLoad(): Promise<void> {
  return new Promise((resolve) => {
    const idle = (): void => void setTimeout(resolve, FIRST_SCREEN_MS);
    if (document.readyState === 'complete') idle();
    else window.addEventListener('load', idle, { once: true });
  });
}

let paint: () => void;
const painted = new Promise<void>((resolve) => (paint = resolve));

/** For a screen that is there. */
export function tellScreenShown(): void {
  requestAnimationFrame(() => setTimeout(paint));
}

/** The first screen has been painted. */
export function afterPaint(): Promise<void> {
  return painted;
}

/**
 * The first screen has been painted: what may soon be needed without a connection is fetched now. Without one, once it
 * is back: a browser asks for a module once a page.
 */
export async function afterScreen(): Promise<void> {
  await afterPaint();
  // Each caller in a task of its own, so that presses are answered between them.
  await new Promise((resolve) => setTimeout(resolve));
  if (!navigator.onLine) await new Promise((resolve) => window.addEventListener('online', resolve, { once: true }));
}
