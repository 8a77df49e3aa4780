import type { FastifyBaseLogger } from 'fastify';
import type { ErasureReceipt } from '#contract/desk-files.ts';
import type { Period } from '../period.ts';
import { erase, eraseStragglers, type ErasureTools } from './erase.ts';
import type { Remains } from './remains.ts';

export type RoundDeps = ErasureTools &
  Readonly<{
    log: Pick<FastifyBaseLogger, 'info' | 'error'>;
    period: Period | undefined;
    remains: Remains;
    /** Aborted where the server ends: what is under way then is finished by the next one. */
    signal: AbortSignal;
  }>;

/** `busy`: another server works on it, or did when it went down. */
type Attempt = Readonly<{ kind: 'done'; receipt: ErasureReceipt } | { kind: 'busy' } | { kind: 'none' }>;

/** Everything that is to be done now. `open`: something is left that another server has taken on. */
export async function round(deps: RoundDeps): Promise<'settled' | 'open'> {
  const { steps, period, signal, remains } = deps;
  if (period !== undefined) await steps.retainDaily(period);
  let outcome = await attempt(deps);
  while (outcome.kind === 'done' && !signal.aborted) outcome = await attempt(deps);
  await eraseStragglers(deps);
  await remains.remove();
  return outcome.kind === 'none' ? 'settled' : 'open';
}

/** This erasure, or the oldest that nobody works on. Throws DeskFailure. */
export async function attempt(deps: RoundDeps, erasure?: string): Promise<Attempt> {
  const { steps, log, signal, remains } = deps;
  const { claimed, open } = await steps.claim(erasure);
  if (claimed === null) return { kind: open > 0 ? 'busy' : 'none' };
  try {
    await remains.expect();
    const receipt = await erase(deps, claimed, signal);
    log.info({ erasure: receipt.id, contributions: receipt.contributions }, 'desk: erased');
    return { kind: 'done', receipt };
  } catch (error) {
    await steps.release(claimed.id).catch(() => undefined);
    throw error;
  }
}
