import { inParallel, type Attack, type Arrangement } from '../attack.ts';
import type { Target } from '../target.ts';

const PER_HOUR = 60;

/** Whatever way a guest writes the path or packs the rows: what counts is how many contributions there are. */
export const encodedInserts: Attack = {
  name: 'encoded-inserts',
  about: 'contributions of a guest by /rest/v1/%69nterviews and other spellings, 180 requests',
  arrange: () => guestRows(async (target, index) => post(target, SPELLINGS[index % SPELLINGS.length] ?? '', '{}'), 180),
};

export const bulkInserts: Attack = {
  name: 'bulk-inserts',
  about: '3,000 contributions of a guest in one request, ten times',
  arrange: () =>
    guestRows(
      async (target) => post(target, 'interviews', JSON.stringify(Array.from({ length: 3_000 }, () => ({})))),
      10,
    ),
};

const SPELLINGS = [
  '%69nterviews',
  'interview%73',
  '%69%6e%74%65%72%76%69%65%77%73',
  'interviews?',
  'interviews?columns=transcript',
];

function guestRows(attempt: (target: Target, index: number) => Promise<number | string>, count: number): Arrangement {
  return {
    run: async (target, tally) => {
      const before = await rowCount(target);
      await inParallel(count, 6, async (index) => tally.count(await attempt(target, index)));
      const made = (await rowCount(target)) - before;
      if (made > PER_HOUR) tally.fail(`${made} contributions made (at most ${PER_HOUR} an hour)`);
    },
  };
}

async function post(target: Target, relation: string, body: string): Promise<number | string> {
  const headers = { ...target.guest(), 'content-type': 'application/json' };
  return (await target.call({ method: 'POST', path: `/rest/v1/${relation}`, headers, body })).status;
}

async function rowCount(target: Target): Promise<number> {
  const [row] = await target.sql<{ count: string }>('select count(*) from public.interviews');
  return Number(row?.count);
}
