import type { UrlStorage } from 'tus-js-client';
import { BackendError } from './errors.ts';

/**
 * Time without progress after which an upload is given up. It must not be shorter: on a slow line the last bytes wait
 * in the phone, which counts them as sent. The server waits as long for the next ones.
 */
export const STALL_TIMEOUT_MS = 60_000;

/** How far a call has come: its bytes are on the way, or they are all there and the answer is awaited. */
export type SendProgress = Readonly<{ phase: 'uploading'; fraction: number }> | Readonly<{ phase: 'waiting' }>;

export type Answer = Readonly<{
  status: number;
  statusText: string;
  header: (name: string) => string | null;
  body: string;
}>;

export type SendOutcome =
  | Readonly<{ kind: 'answer'; answer: Answer }>
  | Readonly<{ kind: 'timeout' | 'network' | 'aborted' }>;

export type SendRequest = Readonly<{
  url: string;
  form: FormData;
  headers: Readonly<Record<string, string>>;
  /** ms without any progress, in either direction. */
  timeoutMs: number;
  signal?: AbortSignal | undefined;
  onProgress?: ((progress: SendProgress) => void) | undefined;
  /** All of the answer's body that has come so far. */
  onBody?: ((body: string) => void) | undefined;
}>;

export type SendForm = (request: SendRequest) => Promise<SendOutcome>;

/** The browser throws at another header: a key that was copied with a typographic dash or an invisible letter. */
export const isHeaderText = (text: string): boolean => /^[\x20-\x7e]*$/.test(text);

/** POST by XMLHttpRequest: `fetch` cannot say how many bytes have gone out (D18). Never rejects. */
export function sendForm(request: SendRequest): Promise<SendOutcome> {
  const { signal } = request;
  if (signal?.aborted === true) return Promise.resolve({ kind: 'aborted' });
  return new Promise((resolve) => {
    const call = new XMLHttpRequest();
    const finish = (outcome: SendOutcome): void => {
      watch.stop();
      signal?.removeEventListener('abort', abort);
      resolve(outcome);
    };
    const giveUp = (kind: 'timeout' | 'aborted'): void => {
      finish({ kind });
      call.abort();
    };
    const abort = (): void => giveUp('aborted');
    // A slow line is no time-out as long as bytes go out; the service's 60 s count from the last one.
    const watch = watchForStall(request.timeoutMs, () => giveUp('timeout'));
    signal?.addEventListener('abort', abort);
    followProgress(call, request, watch.moved);
    call.addEventListener('load', () => finish({ kind: 'answer', answer: getAnswer(call) }));
    call.addEventListener('error', () => finish({ kind: 'network' }));
    call.addEventListener('abort', () => finish({ kind: 'aborted' }));
    call.open('POST', request.url);
    for (const [name, value] of Object.entries(request.headers)) call.setRequestHeader(name, value);
    watch.moved();
    call.send(request.form);
  });
}

/** `onMove`: bytes have gone out or come in. */
function followProgress(call: XMLHttpRequest, { onProgress, onBody }: SendRequest, onMove: () => void): void {
  call.upload.addEventListener('progress', (event) => {
    onMove();
    onProgress?.({ phase: 'uploading', fraction: event.lengthComputable ? event.loaded / event.total : 0 });
  });
  call.upload.addEventListener('load', () => {
    onMove();
    onProgress?.({ phase: 'waiting' });
  });
  call.addEventListener('progress', () => {
    onMove();
    if (call.status >= 200 && call.status <= 299) onBody?.(call.responseText);
  });
}

function getAnswer(call: XMLHttpRequest): Answer {
  return {
    status: call.status,
    statusText: call.statusText,
    header: (name) => call.getResponseHeader(name),
    body: call.responseText,
  };
}

/** Calls `onStall` after `ms` without progress. The first `moved` starts the timer. */
export function watchForStall(ms: number, onStall: () => void): Readonly<{ moved: () => void; stop: () => void }> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const stop = (): void => clearTimeout(timer);
  const moved = (): void => {
    stop();
    timer = setTimeout(onStall, ms);
  };
  return { moved, stop };
}

/**
 * Throws BackendError 'unreadable' where the device no longer gives a chosen file: moved, changed, or taken away by the
 * phone's gallery. Sending it would only say that the connection failed.
 */
export async function expectReadable(blob: Blob): Promise<void> {
  await blob
    .slice(0, 1)
    .arrayBuffer()
    .catch((error: unknown) => {
      throw new BackendError('unreadable', error instanceof Error ? error.name : 'unknown');
    });
}

const UNFINISHED_KEPT_MS = 86_400_000;

/**
 * What the browser remembers of uploads. Where it has no room, they are sent all the same, and a reload begins them
 * again. The server drops an unfinished one after a day; then the name of its file goes here, too.
 */
export function rememberUploads(storage: UrlStorage): UrlStorage {
  return {
    findAllUploads: () => storage.findAllUploads(),
    findUploadsByFingerprint: async (fingerprint) => {
      for (const { creationTime, urlStorageKey } of await storage.findAllUploads())
        if (Date.parse(creationTime) < Date.now() - UNFINISHED_KEPT_MS) await storage.removeUpload(urlStorageKey);
      return storage.findUploadsByFingerprint(fingerprint);
    },
    removeUpload: (key) => storage.removeUpload(key),
    addUpload: async (fingerprint, upload) => {
      try {
        return await storage.addUpload(fingerprint, upload);
      } catch {
        return '';
      }
    },
  };
}
