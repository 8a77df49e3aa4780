const RETRY_MS = 5_000;

/** What the first screens do without. The build writes the files of each into the page (`first-files.ts`). */
export type PartName =
  | 'client'
  | 'sending'
  | 'resumable'
  | 'outbox'
  | 'transcribing'
  | 'transcript-edit'
  | 'image-upload-after-voice'
  | 'thank-you'
  | 'outbox-sender'
  | 'unfinished'
  | 'new-count'
  | 'sign-in'
  | 'other-logins'
  | 'update-notice'
  | 'voice-client'
  | 'evidence'
  | 'pack-review'
  | 'toaster'
  | 'done'
  | 'spoken-words'
  | 'leave-dialog'
  | 'idle-warning';

/**
 * Loads a part once. A browser never asks again for a module that it could not load, so the files are fetched before:
 * where that fails the promise rejects, and the next call tries again.
 */
export function laterPart<Module>(name: PartName, load: () => Promise<Module>): () => Promise<Module> {
  let loading: Promise<Module> | undefined;
  const forget = (error: unknown): never => {
    loading = undefined;
    throw error;
  };
  return () => (loading ??= fetchFiles(name).then(load).catch(forget));
}

const fetched = new Map<string, Promise<void>>();

/** None in development, where nothing is bundled. Parts share files: each is fetched once. */
async function fetchFiles(part: PartName): Promise<void> {
  const names = document.querySelector<HTMLMetaElement>(`meta[name="part:${part}"]`)?.content.split(' ') ?? [];
  await Promise.all(
    names.map((name) => {
      const file = fetched.get(name) ?? fetchFile(name);
      fetched.set(name, file);
      return file;
    }),
  );
}

async function fetchFile(name: string): Promise<void> {
  try {
    const response = await fetch(name);
    // A server that was updated meanwhile answers with its page.
    const isScript = response.headers.get('content-type')?.includes('javascript');
    if (!response.ok || isScript !== true) throw new Error(name);
    await response.arrayBuffer();
  } catch (error) {
    fetched.delete(name);
    throw error;
  }
}

/**
 * For a part that is shown whenever it comes. One that shares files with others is never imported before they are all
 * there: a file that is missing once would be missing for the others, too.
 */
export function asLaterPart<Module>(name: PartName, load: () => Promise<Module>): () => Promise<Module> {
  const part = laterPart(name, load);
  return () => loadAhead(part);
}

/**
 * Loads a part ahead of its use, however often the connection is lost meanwhile. Asks less and less often: a file that
 * an update of the server took away comes with the next load of the page at the earliest (decision 0411).
 */
export async function loadAhead<Module>(load: () => Promise<Module>): Promise<Module> {
  for (let ms = RETRY_MS; ;) {
    try {
      return await load();
    } catch {
      ms = (await untilOnline(ms)) ? RETRY_MS : Math.min(2 * ms, 24 * RETRY_MS);
    }
  }
}

/** Whether the connection is back; false after `ms`. */
function untilOnline(ms: number): Promise<boolean> {
  return new Promise((resolve) => {
    const end = (event?: Event): void => {
      window.removeEventListener('online', end);
      resolve(event !== undefined);
    };
    window.addEventListener('online', end);
    setTimeout(end, ms);
  });
}
