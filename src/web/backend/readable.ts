import { BackendError } from './errors.ts';

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
