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
 * The service worker's address, trusted where the browser asks for that (threat 9). The policy is the only one the
 * application's content security policy lets in, and this address the only one it trusts. Can be made once a page.
 */
export function workerUrl(): string {
  const policy = globalThis.trustedTypes?.createPolicy('service-worker', {
    createScriptURL: (url) => {
      if (url !== WORKER) throw new TypeError('not the service worker');
      return url;
    },
  });
  return policy?.createScriptURL(WORKER) ?? WORKER;
}
