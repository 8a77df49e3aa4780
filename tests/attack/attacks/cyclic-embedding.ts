import { inParallel, type Attack } from '../attack.ts';
import { beginContribution } from '../contribution.ts';
import type { Target } from '../target.ts';

const FILES = 1_000;
const MEBIBYTE = 1024 * 1024;
/** No answer the application asks for is larger. */
const LARGEST_MIB = 32;

/** A row embeds its parent again and again: the caps of each level multiply. */
export const cyclicEmbedding: Attack = {
  name: 'cyclic-embedding',
  about: 'a transcript of 1 MB embedded through 1,000 files, 12 at once, twice',
  memory: 300,
  arrange: () => ({
    run: async (target, tally) => {
      const headers = await fillContribution(target);
      await inParallel(24, 12, async (index) => {
        const limit = index < 12 ? 100 : 400;
        const select = `media_uploads(interviews(transcript))&media_uploads.limit=${limit}`;
        const { status, bytes } = await target.call({ path: `/rest/v1/interviews?select=id,${select}`, headers });
        tally.count(status);
        if (bytes > LARGEST_MIB * MEBIBYTE) tally.fail(`an answer of ${(bytes / MEBIBYTE).toFixed(0)} MiB`);
        if (status === 500) tally.fail('answered 500');
      });
    },
  }),
};

/** Past the limits on what a guest may write: the attack is the reading. */
async function fillContribution(target: Target): Promise<Readonly<Record<string, string>>> {
  const { id, headers } = await beginContribution(target);
  await target.sql(`update public.interviews set transcript = repeat('x', $2::int) where id = $1`, [id, MEBIBYTE]);
  await target.sql(
    `insert into public.media_uploads (interview_id, file_path, file_type)
     select $1::bigint, $1::text || '/' || n || '.png', 'image/png' from generate_series(1, $2::int) as n`,
    [id, FILES],
  );
  return headers;
}
