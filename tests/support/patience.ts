import { vi } from 'vitest';
import { STATE_MS } from './time-limits.ts';

const { waitFor, waitUntil } = vi;

/** How long a test waits for a state unless it says otherwise: a busy machine needs more than the usual second. */
vi.waitFor = (callback, options) => waitFor(callback, patient(options));
vi.waitUntil = (callback, options) => waitUntil(callback, patient(options));

type Options = Parameters<typeof vi.waitFor>[1];

function patient(options: Options): Options {
  return typeof options === 'number' ? options : { timeout: STATE_MS, ...options };
}
