import { randomBytes } from 'node:crypto';
import type { Attack } from '../attack.ts';
import { beginContribution, type Contribution } from '../contribution.ts';

const MEBIBYTE = 1024 * 1024;
const JPEG = Buffer.from('ffd8ffe000104a46494600010100000100010000', 'hex');
const PROGRAM = Buffer.concat([Buffer.from('MZ\u0090\0\u0003\0\0\0', 'latin1'), Buffer.alloc(4_000)]);

type Try = Readonly<{ what: string; path: string; type: string; body: Buffer | string }>;

/** None of it could be chosen in the browser; each has to be refused by the server. */
export const fileKinds: Attack = {
  name: 'file-kinds',
  about: 'a picture above its limit, a program by three names, a transcript and turns above theirs, with a key',
  arrange: () => ({
    run: async (target, tally) => {
      const contribution = await beginContribution(target);
      for (const { what, path, type, body } of tries(contribution)) {
        const headers = { ...contribution.headers, 'content-type': type };
        const method = path.includes('?id=eq.') ? 'PATCH' : 'POST';
        const { status } = await target.call({ method, path, headers, body });
        tally.count(status);
        if (typeof status === 'number' && status < 300) tally.fail(`${what} was accepted`);
      }
    },
  }),
};

function tries({ id }: Contribution): Try[] {
  const file = (extension: string): string =>
    `/storage/v1/object/Media/${id}/1700000000000_${randomBytes(16).toString('hex')}.${extension}`;
  const turns = Array.from({ length: 90 }, (_, position) => ({
    interview_id: id,
    position,
    speaker: 'user',
    content: 'x'.repeat(99_000),
  }));
  return [
    {
      what: 'a picture of 51 MiB',
      path: file('jpg'),
      type: 'image/jpeg',
      body: Buffer.concat([JPEG, Buffer.alloc(51 * MEBIBYTE)]),
    },
    { what: 'a program as .exe', path: file('exe'), type: 'application/x-msdownload', body: PROGRAM },
    { what: 'a program without a type', path: file('bin'), type: 'application/octet-stream', body: PROGRAM },
    { what: 'a program as picture', path: file('jpg'), type: 'image/jpeg', body: PROGRAM },
    {
      what: 'a transcript of 300,000 characters',
      path: `/rest/v1/interviews?id=eq.${id}`,
      type: 'application/json',
      body: JSON.stringify({ transcript: 'x'.repeat(300_000) }),
    },
    {
      what: '9 MB of turns',
      path: '/rest/v1/interview_turns',
      type: 'application/json',
      body: JSON.stringify(turns),
    },
  ];
}
