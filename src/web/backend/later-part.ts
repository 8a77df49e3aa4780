const RETRY_MS = 5_000;

/** What the first screens do without. The build writes the files of each into the page (`first-files.ts`). */
type PartName =
  | 'client'
  | 'sending'
  | 'resumable'
  | 'outbox'
  | 'transcribing'
  | 'transcript-edit'
  | 'image-upload-after-voice'
  | 'thank-you';

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

/** None in development, where nothing is bundled. */
async function fetchFiles(part: PartName): Promise<void> {
  const names = document.querySelector<HTMLMetaElement>(`meta[name="part:${part}"]`)?.content.split(' ') ?? [];
  await Promise.all(
    names.map(async (name) => {
      const response = await fetch(name);
      // A server that was updated meanwhile answers with its page.
      const isScript = response.headers.get('content-type')?.includes('javascript') === true;
      if (!response.ok || !isScript) throw new Error(`${name}: ${response.status}`);
      await response.arrayBuffer();
    }),
  );
}

/** Loads a part ahead of its use, however often the connection is lost meanwhile. */
export async function loadAhead(load: () => Promise<unknown>): Promise<void> {
  while (!(await load().then(isDone, isNot))) {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, RETRY_MS);
      const online = (): void => {
        clearTimeout(timer);
        resolve();
      };
      window.addEventListener('online', online, { once: true });
    });
  }
}

const isDone = (): boolean => true;
const isNot = (): boolean => false;
