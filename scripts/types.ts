import { spawnSync } from 'node:child_process';

/** Each part is checked with the libraries it may use: contract has neither DOM nor node, the server no DOM, web no node. */
const PROJECTS = ['contract', 'server', 'web', 'tests'];

const failed = PROJECTS.filter(
  (name) => spawnSync('tsc', ['-p', `tsconfig.${name}.json`], { stdio: 'inherit' }).status !== 0,
);
process.exit(failed.length === 0 ? 0 : 1);
