import { newKey } from '#tests/support/callers.ts';
import type { Target } from './target.ts';

export type Contribution = Readonly<{ id: number; key: string; headers: Readonly<Record<string, string>> }>;

/** A contribution that a guest begins from the attacker's address. */
export async function beginContribution(target: Target): Promise<Contribution> {
  const key = newKey();
  const headers = { ...target.guest(key), 'content-type': 'application/json' };
  const answer = await target.call({
    method: 'POST',
    path: '/rest/v1/interviews?select=id',
    headers: { ...headers, prefer: 'return=representation' },
    body: '{}',
  });
  if (answer.status !== 201) throw new Error(`a contribution was answered ${answer.status}: ${answer.text}`);
  const [row] = JSON.parse(answer.text) as { id: number }[];
  return { id: row?.id ?? 0, key, headers };
}
