import type { BackendClient } from '#web/backend/client.ts';
import { connectContribution } from '#web/backend/connect.ts';
import { createInterview } from '#web/backend/interviews.ts';
import { LOOK_TIMEOUT_MS, within } from '#web/backend/time-limits.ts';
import { keepKey, readKey } from './keys.ts';
import { makeKey } from './new-key.ts';
import { DEVICE_OWNER, type Entry, isOf } from './outbox/entry.ts';
import { browserOutbox } from './outbox/outbox.ts';
import { moveHeld } from './outbox/use-keep-on-device.ts';
import { getKeptAnswers, saveSpokenTranscript, saveWAnswers } from './saving.ts';
import type { SubmissionStore } from './store.ts';
import { forgetUnsentFiles } from './use-chosen-files.ts';

/** The client for calls about this contribution: they carry its key, where this tab has it. */
export function getContributionClient(backend: BackendClient, interviewId: string | undefined): BackendClient {
  const key = readKey(interviewId);
  return key === undefined ? backend : connectContribution(backend, key);
}

type Here = Readonly<{ backend: BackendClient; store: SubmissionStore; owner?: string }>;

/**
 * Makes the row of a local contribution, with what this browser kept of it. Undefined where the outbox does that, and
 * where it fails: the id stays local then, and its key finds the row next time (D9).
 */
export async function exchangeLocalId({ backend, store, owner = DEVICE_OWNER }: Here, localId: string) {
  if (!store.isCurrent() || (await listKept(owner, localId)).length > 0) return undefined;
  const key = readKey(localId) ?? makeKey();
  keepKey(localId, key);
  const client = connectContribution(backend, key, owner);
  try {
    const id = await createInterview(client, new Date());
    const answers = getKeptAnswers(localId);
    await saveSpokenTranscript(client, id, store.transcript(localId) ?? '', new Date());
    if (answers !== undefined) await saveWAnswers(client, id, answers);
    if (!store.isCurrent()) return undefined;
    keepKey(id, key);
    store.exchange(localId, id);
    moveHeld(localId, id);
    return { client, id: Number(id) };
  } catch (error) {
    console.warn('interviews: a local id stays', error instanceof Error ? error.name : '');
    return undefined;
  }
}

/**
 * Asks the device itself: another tab may have put parts there, or this page not have read them yet. Details that
 * overtook them would end what the key of a guest may hand in (D9).
 */
export async function listKept(owner: string, interviewId: string): Promise<readonly Entry[]> {
  const all = await within(LOOK_TIMEOUT_MS, browserOutbox().store.list(owner)).catch(() => []);
  return all.filter((entry) => isOf(entry, interviewId));
}

/** Forgets everything that this tab has of a contribution: it is handed in, or discarded. */
export function forgetContribution(store: SubmissionStore, interviewId: string): void {
  store.clear(interviewId);
  forgetInterview(interviewId);
  forgetUnsentFiles(interviewId);
}

/** Forgets the interview that its screen keeps for a way back (decision 0363). */
export function forgetInterview(interviewId: string | undefined): void {
  const mark = `"interviewId":${JSON.stringify(interviewId)}`;
  for (const [key, value] of Object.entries(sessionStorage))
    if (key.startsWith('interview:') && String(value).includes(mark)) sessionStorage.removeItem(key);
}
