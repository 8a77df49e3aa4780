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
  const first = async (): Promise<Module> => {
    try {
      await fetchFiles(name);
      return await load();
    } catch (error) {
      loading = undefined;
      throw error;
    }
  };
  return () => (loading ??= first());
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
    const isScript = response.headers.get('content-type')?.includes('javascript') === true;
    if (!response.ok || !isScript) throw new Error(`${name}: ${response.status}`);
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

/** Loads a part ahead of its use, however often the connection is lost meanwhile. */
export async function loadAhead<Module>(load: () => Promise<Module>): Promise<Module> {
  for (;;) {
    try {
      return await load();
    } catch {
      await untilOnline();
    }
  }
}

function untilOnline(): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, RETRY_MS);
    const online = (): void => {
      clearTimeout(timer);
      resolve();
    };
    window.addEventListener('online', online, { once: true });
  });
}
