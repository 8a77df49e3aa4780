/** The server pings every 5 s; a line on which nothing came for so long is dead, whatever the socket says. */
const SILENCE_MS = 20_000;
/** The browser says that there is no network: one ping may still be on its way. */
const OFFLINE_SILENCE_MS = 6_000;

export type LineWatch = Readonly<{
  /** Something came. */
  sign: () => void;
  stop: () => void;
}>;

/**
 * Sockets notice a dead line only after minutes, and the microphone would be open all the time. Starts with the first
 * sign.
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
  return { sign: () => wait(SILENCE_MS), stop };
}
