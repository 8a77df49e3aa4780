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
