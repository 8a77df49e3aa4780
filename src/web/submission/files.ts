import { extensionOf } from '#contract/media-uploads.ts';
import { tryToStore, watchClearing } from '#web/backend/browser-storage.ts';
import { randomHex } from './local-id.ts';

/** Names that files came with, by their path in the bucket, where they have random ones (D11). */
const STORAGE_KEY = 'uploaded_file_names';

export function rememberFileName(path: string, name: string): void {
  tryToStore(sessionStorage, STORAGE_KEY, JSON.stringify({ ...readFileNames(), [path]: name }));
}

export function forgetFiles(): void {
  sessionStorage.removeItem(STORAGE_KEY);
  if (last !== undefined) URL.revokeObjectURL(last.url);
  last = undefined;
}

export function readFileNames(): Readonly<Record<string, string>> {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(STORAGE_KEY) ?? '{}');
    return isNames(kept) ? kept : {};
  } catch {
    return {};
  }
}

function isNames(value: unknown): value is Readonly<Record<string, string>> {
  return typeof value === 'object' && value !== null && Object.values(value).every((name) => typeof name === 'string');
}

const RANDOM_BYTES = 16;

/** The name under which each file is stored: sent again, from any screen or the outbox, it replaces its first copy. */
const names = new WeakMap<object, string>();

/** §3, D11: `{interviewId}/{timestamp}_{random}.{extension}`, 128 random bits. `now` in ms. */
export function mediaPath(interviewId: string, file: Readonly<{ name?: string; type: string }>, now: number): string {
  const extension = extensionOf(file.name ?? '', file.type) || 'bin';
  const name = names.get(file) ?? `${now}_${randomHex(RANDOM_BYTES)}.${extension}`;
  names.set(file, name);
  return `${interviewId}/${name}`;
}

/** §3: `{interviewId}/transcript_{timestamp}.txt`. */
export function transcriptPath(interviewId: string, now: number): string {
  return `${interviewId}/transcript_${now}.txt`;
}

/** The last recording of this page. The history entry that names its address outlives it. */
let last: Readonly<{ recording: Blob; url: string; isCurrent: () => boolean }> | undefined;

export function makeAudioAddress(recording: Blob): string {
  if (last !== undefined) URL.revokeObjectURL(last.url);
  last = { recording, url: URL.createObjectURL(recording), isCurrent: watchClearing() };
  return last.url;
}

/** The recording behind such an address; undefined after a reload, a logout or another recording. */
export function findRecording(url: string | undefined): Blob | undefined {
  return last !== undefined && last.url === url && last.isCurrent() ? last.recording : undefined;
}
