import { AREAS, type AreaId } from '#contract/areas.ts';
import type { Clock } from '../clock.ts';
import type { TurnStore } from '../turns/store.ts';
import type { Holder } from './callers.ts';

/** Checks the role of a login (§6) while its session lives. An interview key needs no role (D9). */
export async function mayUseArea(store: TurnStore, holder: Holder, area: AreaId): Promise<boolean> {
  if (holder.userId === undefined) return true;
  const role = await store.getRole(holder, holder.userId);
  const roles: readonly string[] = AREAS.find(({ id }) => id === area)?.roles ?? [];
  return role !== undefined && roles.includes(role);
}

/** Checks now and every `everyMs`, and calls `onEnd` at the first refusal. A database error counts as no refusal. */
export function watchRights(
  { clock, everyMs }: Readonly<{ clock: Clock; everyMs: number }>,
  checkRights: () => Promise<boolean>,
  onEnd: () => void,
): () => void {
  let stopped = false;
  let cancel = (): void => undefined;
  const check = async (): Promise<void> => {
    const allowed = await checkRights().catch(() => true);
    if (!allowed && !stopped) onEnd();
  };
  const repeat = (): void => {
    cancel = clock.after(everyMs, repeat);
    void check();
  };
  repeat();
  return () => {
    stopped = true;
    cancel();
  };
}
