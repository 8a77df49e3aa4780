import { describe, expect, it } from 'vitest';
import { choosePause, POLLING_MS } from './server-state.tsx';

const AT = Date.UTC(2026, 10, 22);
const answered = { status: 'success', dataUpdatedAt: AT, errorUpdatedAt: 0 } as const;
const failed = (outage: number) => ({ status: 'error', dataUpdatedAt: AT, errorUpdatedAt: AT + outage }) as const;

describe('Desk: polling', () => {
  it.each([
    ['Asks every 15 seconds', answered, POLLING_MS],
    ['Waits longer after a failure', failed(POLLING_MS), 2 * POLLING_MS],
    ['Waits as long as the server has been away', failed(3 * POLLING_MS), 3 * POLLING_MS],
    ['Waits two minutes at most', failed(60 * POLLING_MS), 8 * POLLING_MS],
    ['Resets the pause after an answer', { ...answered, errorUpdatedAt: AT - 1 }, POLLING_MS],
  ])('%s', (_name, state, pause) => {
    expect(choosePause({ state })).toBe(pause);
  });
});
