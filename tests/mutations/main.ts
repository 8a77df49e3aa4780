import path from 'node:path';
import { parseArgs } from 'node:util';
import { startCluster } from '#backend/database/index.ts';
import { CLUSTER_VARIABLE, createDatabase, createTemplate } from '#tests/support/database.ts';
import { makeRunFolder } from '#tests/support/run-folder.ts';
import { RULES } from '#tests/rules/index.ts';
import { checkRule, openScene, prepareRules, type OpenScene } from '#tests/rules/rules.ts';
import { enumerateMutations } from './enumerate.ts';
import { findKnown } from './known.ts';
import type { Mutation } from './mutation.ts';
import { tryMutation } from './notice.ts';
import { resultTable, unexplained, writeResults, type Result } from './report.ts';
import { wireTestsNotice, wireTestsPass } from './wire.ts';

/**
 * `npm run mutate`: takes away one rule of the database after another and sees whether a test notices. `--only
 * <pattern>`: those whose kind and name match; `--fast`: the rules alone; `--report`: writes docs/reliability.md.
 */
const { values } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    fast: { type: 'boolean', default: false },
    report: { type: 'boolean', default: false },
  },
});

const folder = await makeRunFolder();
const { TMPDIR } = process.env;
if (folder.inMemory) process.env['TMPDIR'] = folder.path;
const cluster = await startCluster({ folder: path.join(folder.path, 'cluster'), durable: false });
let results: Result[];
try {
  process.env[CLUSTER_VARIABLE] = cluster.url('postgres');
  await createTemplate(cluster.url('postgres'));
  const { url } = await createDatabase('migrated');
  const scene = await openScene(url, await prepareRules(url));
  try {
    results = await runRules(scene);
  } finally {
    await scene.close();
  }
} finally {
  await cluster.stop();
  await folder.remove();
  // The wire tests make a folder of their own.
  if (TMPDIR === undefined) delete process.env['TMPDIR'];
  else process.env['TMPDIR'] = TMPDIR;
}
if (!values.fast) results = await runWireTests(results);
process.stdout.write(`\n${resultTable(results)}`);
if (values.report) await writeResults(results);
process.exit(unexplained(results).length === 0 ? 0 : 1);

async function runRules(scene: OpenScene): Promise<Result[]> {
  for (const rule of RULES) await checkRule(scene, rule);
  const pattern = new RegExp(values.only);
  const mutations = (await enumerateMutations(scene.client)).filter(({ kind, name }) =>
    pattern.test(`${kind}: ${name}`),
  );
  const found: Result[] = [];
  for (const [at, mutation] of mutations.entries()) {
    if (at % 100 === 0) process.stdout.write(`${at} of ${mutations.length} mutations\n`);
    const { kind } = await tryMutation(scene, RULES, mutation);
    found.push({ mutation, outcome: kind === 'noticed' ? 'fast' : kind });
    // At once, so that a run that is cut short has told of them.
    if (kind === 'survived' && findKnown(mutation) === undefined) {
      process.stdout.write(`survived so far: ${mutation.kind}: ${mutation.name}\n`);
    }
  }
  return found;
}

/** Known survivors are not tried. */
async function runWireTests(found: readonly Result[]): Promise<Result[]> {
  const open = found.filter(({ outcome, mutation }) => outcome === 'survived' && findKnown(mutation) === undefined);
  if (open.length > 0 && !(await wireTestsPass(open.map(({ mutation }) => mutation)))) {
    process.stdout.write('the wire tests fail without a mutation, so none was tried on them\n');
    return [...found];
  }
  const noticed = new Set<Mutation>();
  for (const { mutation } of open) {
    process.stdout.write(`wire tests: ${mutation.name}\n`);
    if (await wireTestsNotice(mutation)) noticed.add(mutation);
  }
  return found.map((result) => (noticed.has(result.mutation) ? { ...result, outcome: 'wire' as const } : result));
}
