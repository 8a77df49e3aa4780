import { vi } from 'vitest';

const PATIENCE_MS = 60_000;
const { waitFor, waitUntil } = vi;

/**
 * How long a test waits for a state unless it says otherwise. Costs nothing where the state comes; a busy machine needs
 * more than the one second that is usual.
 */
vi.waitFor = (callback, options) => waitFor(callback, patient(options));
vi.waitUntil = (callback, options) => waitUntil(callback, patient(options));

type Options = Parameters<typeof vi.waitFor>[1];

function patient(options: Options): Options {
  return typeof options === 'number' ? options : { timeout: PATIENCE_MS, ...options };
}
