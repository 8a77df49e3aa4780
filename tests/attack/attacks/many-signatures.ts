import { inParallel, type Attack } from '../attack.ts';
import { beginContribution } from '../contribution.ts';

const REQUESTS = 60;
const PATHS = 1_000;

/** A body of 11 KB whose answer is fifty times as long and signed path by path. */
export const manySignatures: Attack = {
  name: 'many-signatures',
  about: `the address of one file asked for ${PATHS.toLocaleString('en')} times in a request, 10 at once, ${REQUESTS} in all`,
  arrange: () => ({
    run: async (target, tally) => {
      const { id, headers } = await beginContribution(target);
      const name = `${id}/1700000000000_a.txt`;
      const path = `/storage/v1/object/Media/${name}`;
      const stored = await target.call({
        method: 'POST',
        path,
        headers: { ...headers, 'content-type': 'text/plain' },
        body: 'x',
      });
      if (stored.status !== 200) tally.fail(`the file was answered ${stored.status}`);
      const body = JSON.stringify({ expiresIn: 60, paths: Array<string>(PATHS).fill(name) });
      await inParallel(REQUESTS, 10, async () => {
        const { status } = await target.call({ method: 'POST', path: '/storage/v1/object/sign/Media', headers, body });
        tally.count(status);
      });
    },
  }),
};
