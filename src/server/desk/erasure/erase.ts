import type { SupabaseClient } from '@supabase/supabase-js';
import type { ErasureReceipt } from '#contract/desk-files.ts';
import type { MailSearch } from '../../mail/index.ts';
import { DeskFailure } from '../faults.ts';
import type { Claimed, Steps } from './steps.ts';

export type ErasureTools = Readonly<{
  steps: Steps;
  service: () => SupabaseClient;
  mails: MailSearch;
  /** What is left in the store of a folder of the bucket. Throws where the store is away. */
  removeTraces: (folder: string) => Promise<void>;
}>;

const BUCKET = 'Media';
const NOT_FOUND = 404;

/**
 * Everything that an erasure is about, files before rows; repeated from the start after a failure. Throws DeskFailure.
 */
export async function erase(tools: ErasureTools, erasure: Claimed, signal: AbortSignal): Promise<ErasureReceipt> {
  const { steps } = tools;
  for (let id = await steps.next(erasure.id); id !== null; id = await steps.next(erasure.id)) {
    signal.throwIfAborted();
    await eraseContribution(tools, erasure.id, id);
  }
  if (erasure.email !== null) await erasePerson(tools, erasure, erasure.email);
  await eraseStragglers(tools);
  // A precaution: that the samples in the planner's statistics go now and not with the next automatic look.
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
  // Somebody may have been writing one.
  await mails.remove(await mails.find(subjects));
}

async function erasePerson(tools: ErasureTools, { id, account }: Claimed, address: string): Promise<void> {
  const { steps, mails, service } = tools;
  const letters = await mails.find([{ address }]);
  await steps.beginPerson(id, letters.length);
  await mails.remove(letters);
  if (account !== null) {
    const { error } = await service().auth.admin.deleteUser(account);
    if (error !== null && error.status !== NOT_FOUND) throw new DeskFailure('backend_failed', { cause: error });
  }
  await steps.removePerson(id);
}

/** Also by itself from time to time: an upload or a mail that was under way may end after its contribution. */
export async function eraseStragglers(tools: Pick<ErasureTools, 'steps' | 'service' | 'mails'>): Promise<void> {
  const gone = await tools.steps.gone();
  if (gone.length > 0) await tools.mails.remove(await tools.mails.find(gone));
  for (let paths = await tools.steps.stragglers(); paths.length > 0; paths = await tools.steps.stragglers()) {
    await removeStored(tools, paths);
  }
}

/** Earlier versions of a file went when it was replaced. */
async function removeStored({ service }: Pick<ErasureTools, 'service'>, paths: readonly string[]): Promise<void> {
  const { data, error } = await service()
    .storage.from(BUCKET)
    .remove([...paths]);
  if (error !== null || data.length === 0) throw new DeskFailure('backend_failed', { cause: error });
}
