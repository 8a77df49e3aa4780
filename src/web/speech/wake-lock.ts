/** The used part of the Screen Wake Lock API. */
export type WakeLocks = Readonly<{ request: (type: 'screen') => Promise<{ release: () => Promise<void> }> }>;

/** Keeps the screen on until the returned function is called; the browser drops the lock when the page is hidden. */
export function keepAwake(wakeLocks: WakeLocks | undefined, page: Document): () => void {
  if (wakeLocks === undefined) return () => undefined;
  let released = false;
  let release = (): void => undefined;
  const acquire = async (): Promise<void> => {
    if (page.visibilityState !== 'visible') return;
    // Refused when the battery is low: the recording goes on all the same.
    const lock = await wakeLocks.request('screen').catch(() => undefined);
    if (lock === undefined) return;
    release = () => void lock.release().catch(() => undefined);
    if (released) release();
  };
  const again = (): void => void acquire();
  page.addEventListener('visibilitychange', again);
  again();
  return () => {
    released = true;
    page.removeEventListener('visibilitychange', again);
    release();
  };
}
