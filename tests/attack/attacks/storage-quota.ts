import { randomBytes } from 'node:crypto';
import { inParallel, type Attack } from '../attack.ts';
import { beginContribution } from '../contribution.ts';

const FILES = 160;
/** Far below what the attack tries; the default stands in the README's table. */
const ALLOWED_FILES = 40;
const PNG = Buffer.concat([
  Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  ),
  Buffer.alloc(64 * 1024),
]);

export const storageQuota: Attack = {
  name: 'storage-quota',
  about: `${FILES} pictures with one key, where ${ALLOWED_FILES} are allowed`,
  arrange: () => ({
    env: { UPLOAD_QUOTA_FILES: String(ALLOWED_FILES) },
    run: async (target, tally) => {
      const { id, headers } = await beginContribution(target);
      await inParallel(FILES, 12, async () => {
        const path = `/storage/v1/object/Media/${id}/1700000000000_${randomBytes(16).toString('hex')}.png`;
        const { status } = await target.call({
          method: 'POST',
          path,
          headers: { ...headers, 'content-type': 'image/png' },
          body: PNG,
        });
        tally.count(status);
      });
      if (tally.accepted() > ALLOWED_FILES) tally.fail(`${tally.accepted()} files stored (at most ${ALLOWED_FILES})`);
    },
  }),
};
