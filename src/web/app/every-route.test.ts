import { describe, expect, it } from 'vitest';
import type { SessionState } from '#web/backend/session-state.ts';
import { TABLE, VISITORS, type Outcome, type Row, type Visitor } from '#tests/support/route-table.ts';
import { decideRoute, type Decision } from './decide-route.ts';

function sessionOf(visitor: Visitor): SessionState {
  if (visitor === 'not logged in') return { status: 'signed-out', left: false };
  return {
    status: 'signed-in',
    user: { id: 'u1', email: 'a@b.example', username: 'a' },
    role: visitor === 'without a role' ? { status: 'none' } : { status: 'known', role: visitor, remembered: false },
    recovery: false,
    factor: 'none',
  };
}

/** What the guard decides until it leads no further, and where that is. */
function follow(visitor: Visitor, path: string): Readonly<{ place: string; steps: readonly Decision[] }> {
  const steps: Decision[] = [];
  let place = path;
  while (steps.length < 5) {
    const step = decideRoute({ path: place, session: sessionOf(visitor) });
    steps.push(step);
    if (step.kind !== 'redirect') return { place, steps };
    place = step.to;
  }
  throw new Error(`${path} leads nowhere`);
}

/** Query, fragment and state stay on the way to a twin (D2, D3); a login to come remembers the path. */
function checkWay(visitor: Visitor, { kind }: Outcome, steps: readonly Decision[]): void {
  const ways = steps.slice(0, -1);
  if (kind === 'allowed' || kind === 'not found') expect(ways).toEqual([]);
  if (kind === 'forwarded') expect(ways.map((way) => 'keep' in way && way.keep)).not.toContain(false);
  if (kind === 'redirected' && visitor === 'not logged in') expect(ways.at(-1)).toMatchObject({ remember: true });
}

const CASES = TABLE.flatMap((row) => VISITORS.map((visitor) => [row.path, visitor, row] as const));

describe('§2.1 every place for every visitor', () => {
  it.each<readonly [string, Visitor, Row]>(CASES)('%s for %s', (path, visitor, { outcome }) => {
    const expected = outcome(visitor);
    const { place, steps } = follow(visitor, path);
    expect(place).toBe('to' in expected ? expected.to : path);
    expect(steps.at(-1)?.kind).toBe(expected.kind === 'not found' ? 'not-found' : 'render');
    checkWay(visitor, expected, steps);
  });
});
