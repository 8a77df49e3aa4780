import type { SupabaseClient } from '@supabase/supabase-js';
import type { ErasureReceipt } from '#contract/desk-files.ts';
import type { MailSearch } from '../../mail/index.ts';
import { DeskError } from '../error.ts';
import type { ClaimedErasure, Steps } from './steps.ts';

export type ErasureTools = Readonly<{
  steps: Steps;
  service: () => SupabaseClient;
  mails: MailSearch;
  /** Removes unregistered objects of a folder. Throws while the store is unreachable. */
  removeTraces: (folder: string) => Promise<void>;
}>;

const BUCKET = 'Media';
const NOT_FOUND = 404;

/** Erases files before rows and restarts from the beginning after a failure. Throws DeskError. */
export async function erase(
  tools: ErasureTools,
  erasure: ClaimedErasure,
  signal: AbortSignal,
): Promise<ErasureReceipt> {
  const { steps } = tools;
  for (let id = await steps.next(erasure.id); id !== null; id = await steps.next(erasure.id)) {
    signal.throwIfAborted();
    await eraseContribution(tools, erasure.id, id);
  }
  if (erasure.email !== null) await erasePerson(tools, erasure, erasure.email);
  await eraseStragglers(tools);
  // Planner statistics sample erased values; renewing them now does not wait for autovacuum.
  await steps.forget(erasure.id).catch(() => undefined);
  return steps.finish(erasure.id);
}

async function eraseContribution(tools: ErasureTools, erasure: string, id: number): Promise<void> {
  const { steps, mails, removeTraces } = tools;
  const subjects = [{ contribution: id }, ...(await steps.letters(id)).map((letter) => ({ letter }))];
  const letters = await mails.find(subjects);
  const stored = (): Promise<readonly string[]> => steps.begin(erasure, id, letters.length);
  for (let paths = await stored(); paths.length > 0; paths = await stored()) await removeStored(tools, paths);
  await removeTraces(`${id}/`);
  await mails.remove(letters);
  await steps.removeRows(id);
  // A mail may have been written meanwhile.
  await mails.remove(await mails.find(subjects));
}

async function erasePerson(tools: ErasureTools, { id, account }: ClaimedErasure, address: string): Promise<void> {
  const { steps, mails, service } = tools;
  const letters = await mails.find([{ address }]);
  await steps.beginPerson(id, letters.length);
  await mails.remove(letters);
  if (account !== null) {
    const { error } = await service().auth.admin.deleteUser(account);
    if (error !== null && error.status !== NOT_FOUND) throw new DeskError('backend_failed', { cause: error });
  }
  await steps.removePerson(id);
}

/** Erases uploads and mails that finished after their contribution was erased. Also runs periodically. */
export async function eraseStragglers(tools: Pick<ErasureTools, 'steps' | 'service' | 'mails'>): Promise<void> {
  const recentlyErased = await tools.steps.recentlyErased();
  if (recentlyErased.length > 0) await tools.mails.remove(await tools.mails.find(recentlyErased));
  for (let paths = await tools.steps.stragglers(); paths.length > 0; paths = await tools.steps.stragglers()) {
    await removeStored(tools, paths);
  }
}

/** Earlier versions of a file were removed when it was replaced. */
async function removeStored({ service }: Pick<ErasureTools, 'service'>, paths: readonly string[]): Promise<void> {
  const { data, error } = await service()
    .storage.from(BUCKET)
    .remove([...paths]);
  if (error !== null || data.length === 0) throw new DeskError('backend_failed', { cause: error });
}
