import type { IncomingMessage } from 'node:http';
import { openStoredFile as open, StoredFileError } from '../stored-file.ts';
import { DeskError } from './error.ts';

/** Throws DeskError: file_missing, backend_failed. */
export function openStoredFile(...[url, headers, signal]: Parameters<typeof open>): Promise<IncomingMessage> {
  return open(url, headers, signal).catch((error: unknown) => {
    const isMissing = error instanceof StoredFileError && error.code === 'missing';
    throw new DeskError(isMissing ? 'file_missing' : 'backend_failed', { cause: error });
  });
}
