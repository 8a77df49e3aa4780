const CHECK_EVERY_MS = 60 * 60 * 1_000;

/**
 * The newer version, where there is one, and the way to it. Registers the service worker and watches for its successor.
 * Not the plugin's own client: that one reloads every open tab as soon as one of them asks for the update.
 */
export function watchUpdates(container: ServiceWorkerContainer, reload: () => void, isWorking: () => boolean) {
  const listeners = new Set<() => void>();
  let waiting: ServiceWorker | undefined;
  let asked = false;
  const found = (worker: ServiceWorker): void => {
    waiting = worker;
    for (const listener of listeners) listener();
  };
  const follow = (worker: ServiceWorker | null): void => {
    worker?.addEventListener('statechange', () => {
      if (worker.state === 'installed' && container.controller !== null) found(worker);
    });
  };
  container.addEventListener('controllerchange', () => {
    // Work may have begun while the new version took its time; it is applied again after the work.
    if (asked && !isWorking()) reload();
  });
  const register = async (): Promise<void> => {
    const registration = await container.register(workerUrl(), { updateViaCache: 'none' });
    if (registration.waiting !== null && container.controller !== null) found(registration.waiting);
    follow(registration.installing);
    registration.addEventListener('updatefound', () => follow(registration.installing));
    lookEveryHour(registration);
  };
  register().catch((error: unknown) => console.warn('service worker:', error instanceof Error ? error.name : ''));
  return {
    subscribe: (listener: () => void): (() => void) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    isWaiting: (): boolean => waiting !== undefined,
    /** The new version takes over, and this page starts again with it. */
    apply: (): void => {
      asked = true;
      if (waiting?.state === 'activated') return reload();
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker has none
      waiting?.postMessage({ type: 'SKIP_WAITING' });
    },
  };
}

/** Also when the page is seen again after an hour: on a phone no timer runs before that. */
function lookEveryHour(registration: ServiceWorkerRegistration): void {
  let looked = Date.now();
  const offline = (): void => undefined;
  const look = (): void => {
    const now = Date.now();
    if (Math.abs(now - looked) >= CHECK_EVERY_MS) registration.update().then(() => (looked = now), offline);
  };
  setInterval(look, CHECK_EVERY_MS);
  document.addEventListener('visibilitychange', look);
}

export type Updates = ReturnType<typeof watchUpdates>;

/**
 * What TypeScript's DOM library does not know yet, as far as it is used. The result counts as a string where one is
 * taken.
 */
type TrustedTypes = Readonly<{
  createPolicy: (
    name: string,
    rules: Readonly<{ createScriptURL: (url: string) => string }>,
  ) => Readonly<{ createScriptURL: (url: string) => string }>;
}>;

declare global {
  // oxlint-disable-next-line no-var -- the browser's own
  var trustedTypes: TrustedTypes | undefined;
}

const WORKER = '/sw.js';

/**
 * The service worker's address, trusted where the browser asks for that (threat 9). The application's content
 * security policy lets this policy in, which trusts only this address. Can be made once a page.
 */
function workerUrl(): string {
  const policy = globalThis.trustedTypes?.createPolicy('service-worker', {
    createScriptURL: (url) => {
      if (url !== WORKER) throw new TypeError('not the service worker');
      return url;
    },
  });
  return policy?.createScriptURL(WORKER) ?? WORKER;
}
