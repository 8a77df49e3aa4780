/**
 * Each part is checked with the libraries it may use: contract has neither DOM nor node, the server no DOM, web no
 * node. What was found out is kept in the working copy, so that the next run looks only at what changed since. Several
 * checkers would each resolve the same types again: one takes half the processor time.
 */
import { spawnSync } from 'node:child_process';

const PROJECTS = ['contract', 'server', 'web', 'tests'];

const failed = PROJECTS.filter((name) => {
  const buildInfo = `.cache/types/${name}.tsbuildinfo`;
  const args = ['-p', `tsconfig.${name}.json`, '--incremental', '--tsBuildInfoFile', buildInfo, '--singleThreaded'];
  return spawnSync('tsc', args, { stdio: 'inherit' }).status !== 0;
});
process.exit(failed.length === 0 ? 0 : 1);
