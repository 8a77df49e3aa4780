import * as z from 'zod/mini';

/** In the bucket a file has a name of its own (D11); who uploaded it here sees the one it came with. */
const STORAGE_KEY = 'uploaded_file_names';
const Names = z.record(z.string(), z.string());

export function rememberFileName(path: string, name: string): void {
  try {
    sessionStorage.setItem(STORAGE_KEY, JSON.stringify({ ...allNames(), [path]: name }));
  } catch {
    console.warn('browser storage: a file name could not be kept');
  }
}

/** The name the file came with, else the last part of its path. */
export function fileNameOf(path: string): string {
  return allNames()[path] ?? path.split('/').at(-1) ?? path;
}

export function forgetFileNames(): void {
  sessionStorage.removeItem(STORAGE_KEY);
}

function allNames(): Readonly<Record<string, string>> {
  try {
    const parsed = Names.safeParse(JSON.parse(sessionStorage.getItem(STORAGE_KEY) ?? '{}'));
    return parsed.success ? parsed.data : {};
  } catch {
    return {};
  }
}
