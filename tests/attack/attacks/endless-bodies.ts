import { Readable } from 'node:stream';
import { inParallel, type Attack } from '../attack.ts';
import { beginContribution } from '../contribution.ts';

const MEBIBYTE = 1024 * 1024;
const MOST_MIB = 400;
const READ_MIB = 64;
const PATHS = [
  '/rest/v1/interviews',
  '/auth/v1/token?grant_type=password',
  '/v1/audio/transcriptions',
  '/v1/convai/ticket',
];

/** Bodies of unknown length that do not end by themselves. */
export const endlessBodies: Attack = {
  name: 'endless-bodies',
  about: `chunked bodies of up to ${MOST_MIB} MiB on 4 paths, 16 in all`,
  arrange: () => ({
    run: async (target, tally) => {
      const { headers } = await beginContribution(target);
      await inParallel(16, 4, async (index) => {
        const path = PATHS[index % PATHS.length] ?? '';
        const sent = { mebibytes: 0 };
        const type = path.includes('audio') ? 'multipart/form-data; boundary=b' : 'application/json';
        const call = {
          method: 'POST',
          path,
          headers: { ...headers, 'content-type': type },
          body: Readable.from(endless(path.includes('audio'), sent)),
        };
        const { status } = await target.call(call);
        tally.count(status);
        if (sent.mebibytes > READ_MIB) tally.fail(`${path} took ${sent.mebibytes} MiB`);
      });
    },
  }),
};

function* endless(isForm: boolean, sent: { mebibytes: number }): Generator<Buffer> {
  const head =
    '--b\r\ncontent-disposition: form-data; name="file"; filename="a.wav"\r\ncontent-type: audio/wav\r\n\r\nRIFF';
  yield Buffer.from(isForm ? head : '{"a":"');
  for (; sent.mebibytes < MOST_MIB; sent.mebibytes += 1) yield Buffer.alloc(MEBIBYTE, 'x');
}
