import { parseArgs } from 'node:util';
import { makeFirstAccounts } from '#server/accounts/first-accounts.ts';
import { AccountError } from '#server/accounts/accounts.ts';
import { readEnv, type Env } from '#server/env.ts';
import { serveOwnBackend } from '#server/own-backend.ts';
import { describeStartError } from '#server/start-error.ts';
import { openLedger } from './seed/ledger.ts';
import { openPeople } from './seed/people.ts';
import { SAMPLES } from './seed/samples/index.ts';
import { submit } from './seed/submit.ts';
import { workOn } from './seed/team.ts';

/**
 * `npm run seed`: hands in demo contributions in DATA_DIR (or DATABASE_URL), while the server runs or not. Those that
 * are there already stay as they are. `-- --beside-others` allows contributions that it did not make.
 */
const { values: options } = parseArgs({ options: { 'beside-others': { type: 'boolean', default: false } } });

class RefusedError extends Error {}

/** As `private.review_links` has it: the samples' links are as old as the samples. */
const REVIEW_LINK_DAYS = 30;

const EXPECTED = [RefusedError, AccountError];

// Like the server's: what is written here is only for this account.
process.umask(0o077);
try {
  process.stdout.write(await seed(readEnv(process.env)));
} catch (error) {
  const expected = EXPECTED.some((kind) => error instanceof kind);
  process.stderr.write(`${error instanceof Error ? (expected ? error.message : error.stack) : String(error)}\n`);
  process.exitCode = expected ? 2 : 1;
}

async function seed(env: Env): Promise<string> {
  if (env.SUPABASE_URL !== undefined) throw new RefusedError('A hosted project is not seeded: SUPABASE_URL is set.');
  const server = await serveOwnBackend(env, process.env).catch((error: unknown) => {
    throw new RefusedError(describeStartError(error, env), { cause: error });
  });
  try {
    const { backend, url } = server;
    await makeFirstAccounts({ env, server, print: (text) => void process.stdout.write(text) });
    const ledger = await openLedger(backend.database, SAMPLES);
    if (ledger.others > 0 && !options['beside-others'])
      throw new RefusedError(
        `There are ${ledger.others} contributions which this command did not make, in ${env.DATABASE_URL === undefined ? env.DATA_DIR : 'DATABASE_URL'}.\n` +
          'Nothing was added. To add the demo contributions all the same: npm run seed -- --beside-others',
      );
    const people = await openPeople({ url, publicKey: backend.keys.publishableKey, secretKey: backend.keys.secretKey });
    const missing = SAMPLES.filter((sample) => !ledger.isComplete(sample));
    const links: string[] = [];
    for (const sample of missing) {
      await ledger.removeRest(sample, people.service);
      const id = await submit(people, sample);
      const key = await workOn(people, sample, id);
      const expired = sample.daysAgo >= REVIEW_LINK_DAYS ? ' (expired)' : '';
      if (key !== undefined) links.push(`  contribution ${id}: ${env.PUBLIC_URL ?? ''}/freigabe#k=${key}${expired}\n`);
      await ledger.complete(sample, id);
    }
    await people.leave();
    // The database has only the hashes of the keys, so they are printed once.
    const reviews = links.length === 0 ? '' : `Review links of the demo contributions:\n${links.join('')}`;
    return `Demo contributions: ${missing.length} added, ${SAMPLES.length - missing.length} were there.\n${reviews}`;
  } finally {
    await server.close();
  }
}
