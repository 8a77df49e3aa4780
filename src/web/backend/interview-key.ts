/** D9: the 256-bit key of the contribution this browser works on, base64url. */
const STORAGE_KEY = 'interview_key';
const KEY_BYTES = 32;

export function currentInterviewKey(): string | undefined {
  return sessionStorage.getItem(STORAGE_KEY) ?? undefined;
}

/** Made before the first insert, so that the answer to it may get lost. */
export function makeInterviewKey(): string {
  const key = newInterviewKey();
  sessionStorage.setItem(STORAGE_KEY, key);
  return key;
}

/** A key that is not the one of the contribution at hand. */
export function newInterviewKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(KEY_BYTES));
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
}

export function adoptInterviewKey(key: string): void {
  sessionStorage.setItem(STORAGE_KEY, key);
}

export function forgetInterviewKey(): void {
  sessionStorage.removeItem(STORAGE_KEY);
}
