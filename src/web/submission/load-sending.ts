import type { BackendClient } from '#web/backend/client.ts';
import { BackendError } from '#web/backend/errors.ts';
import { laterPart, loadAhead } from '#web/backend/later-part.ts';

const load = laterPart('sending', () => import('./sending.ts'));

/** Loads the code that saves and uploads. Throws BackendError where it cannot be loaded now. */
export async function loadSending(): Promise<typeof import('./sending.ts')> {
  try {
    return await load();
  } catch {
    throw new BackendError('unreachable', 'the code that saves and uploads could not be loaded');
  }
}

/** The same, with the client for requests about one contribution. */
export async function openSending(loadBackend: () => Promise<BackendClient>, interviewId: string | undefined) {
  const sending = await loadSending();
  return { ...sending, client: sending.getContributionClient(await loadBackend(), interviewId) };
}

/** Loads it ahead once the first screen is there, with the client of resumable uploads. */
export async function loadSendingAhead(): Promise<void> {
  await loadAhead(loadSending);
  const { loadTus } = await loadSending();
  await loadAhead(loadTus);
}
