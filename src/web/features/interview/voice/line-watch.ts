/** The server pings every 5 s; a line silent for this long is dead. */
const SILENCE_MS = 20_000;
/** Limit while the browser is offline: one ping may still be on its way. */
const OFFLINE_SILENCE_MS = 6_000;

export type LineWatch = Readonly<{
  noteMessage: () => void;
  stop: () => void;
}>;

/**
 * Detects a dead line, which a socket notices only after minutes with an open microphone. Starts with the first
 * message.
 */
export function watchLine(
  page: Pick<Window, 'addEventListener' | 'removeEventListener'>,
  onDead: () => void,
): LineWatch {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const wait = (ms: number): void => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      stop();
      onDead();
    }, ms);
  };
  const offline = (): void => {
    if (timer !== undefined) wait(OFFLINE_SILENCE_MS);
  };
  const stop = (): void => {
    clearTimeout(timer);
    timer = undefined;
    page.removeEventListener('offline', offline);
  };
  page.addEventListener('offline', offline);
  return { noteMessage: () => wait(SILENCE_MS), stop };
}
