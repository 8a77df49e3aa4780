import { TRANSCRIPTION_KEY } from '#web/backend/browser-storage.ts';

/** D12: a key the user keeps in this browser, used at the service instead of the server's own. */
export function storedTranscriptionKey(): string | undefined {
  try {
    const key = localStorage.getItem(TRANSCRIPTION_KEY)?.trim() ?? '';
    return key === '' ? undefined : key;
  } catch {
    // Storage is switched off: then there is no key in it.
    return undefined;
  }
}
