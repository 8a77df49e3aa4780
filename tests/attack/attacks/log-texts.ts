import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { inParallel, type Attack } from '../attack.ts';
import { beginContribution } from '../contribution.ts';

const MEBIBYTE = 1024 * 1024;
const CANARY = 'Kanarienvogel';
const MOST_BYTES = MEBIBYTE;

/** Statements that fail, each with a long text of the caller's. */
export const logTexts: Attack = {
  name: 'log-texts',
  about: 'failing requests with texts of almost 1 MB, 40 times; the database log is searched for them',
  arrange: () => ({
    run: async (target, tally) => {
      const { id, headers } = await beginContribution(target);
      const before = (await databaseLog(target.dataDir)).length;
      const text = `${CANARY} ${'lang '.repeat(180_000)}`;
      const bodies = [
        { w_questions_answers: [text] },
        { contact_email: text },
        { contact_first_name: text },
        { transcript: `${text}\u0000` },
      ];
      await inParallel(40, 4, async (index) => {
        const body = JSON.stringify(bodies[index % bodies.length]);
        tally.count(
          (await target.call({ method: 'PATCH', path: `/rest/v1/interviews?id=eq.${id}`, headers, body })).status,
        );
      });
      const filter = await target.call({ path: `/rest/v1/interviews?id=eq.${CANARY}`, headers });
      tally.count(filter.status);
      const log = await databaseLog(target.dataDir);
      if (log.includes(CANARY)) tally.fail('a text of a caller stands in the database log');
      const grown = log.length - before;
      if (grown > MOST_BYTES) tally.fail(`the database log grew by ${(grown / MEBIBYTE).toFixed(1)} MiB`);
      if (tally.accepted() > 0) tally.fail(`${tally.accepted()} of the failing requests were accepted`);
    },
  }),
};

async function databaseLog(dataDir: string): Promise<string> {
  const folder = path.join(dataDir, 'postgres');
  const names = await readdir(folder, { recursive: true });
  const logs = names.filter((name) => /\.log(\.\d+)?$/.test(name));
  return (await Promise.all(logs.map((name) => readFile(path.join(folder, name), 'latin1')))).join('');
}
