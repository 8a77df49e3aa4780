import { rm, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Attack } from '#tests/attack/attack.ts';
import { hasHeld } from '#tests/attack/report.ts';
import { runAttack, type Pace } from '#tests/attack/run.ts';
import { prepareData } from '#tests/attack/target.ts';

const BRIEF: Pace = { warmUp: 200, calm: 500, attack: 500, recovery: 200 };

/** `npm run attack` itself: that it sees damage, and that it sees none where there is none. */
let folder: string;
let used: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'smca-attack-'));
  used = await prepareData(folder);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test('Counts what was refused and breaks no claim where an attack does no harm (security 16.5)', async () => {
  const attack: Attack = {
    name: 'forged-tokens',
    about: 'forged access tokens',
    arrange: () => ({
      run: async (target, tally) => {
        for (let forged = 0; forged < 5; forged += 1) {
          const headers = { ...target.guest(), authorization: 'Bearer e30.e30.x' };
          tally.count((await target.call({ path: '/rest/v1/interviews', headers })).status);
        }
      },
    }),
  };
  const outcome = await runAttack(attack, used, BRIEF);
  expect([outcome.tally.attempts(), outcome.tally.refused()]).toEqual([5, '5 × 401']);
  expect(outcome.broken).toEqual([]);
  expect(outcome.memory.before).toBeGreaterThan(0);
  expect(outcome.felt.calm).toBeGreaterThan(0);
});

test('Fails the verdict where the server ends in the middle (security 16.5)', async () => {
  const attack: Attack = {
    name: 'kill',
    about: 'the process is killed',
    arrange: () => ({
      run: async (target) => {
        process.kill(target.pid, 'SIGKILL');
        await expect.poll(target.isAlive).toBe(false);
      },
    }),
  };
  const outcome = await runAttack(attack, used, BRIEF);
  expect(outcome.broken).toContain('the server ended');
  expect(hasHeld(outcome)).toBe(false);
});
