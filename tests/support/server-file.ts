import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { isBuilt, SERVER_BUILD } from '../../scripts/build/builds.mjs';
import { PATIENT_DATABASE } from './time-limits.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const CACHE = new URL('../../src/server/compile-cache.mjs', import.meta.url).href;

const isFresh = isBuilt(SERVER_BUILD);
if (!isFresh) {
  process.stderr.write(
    'dist/server is not built from these sources (npm run build): server processes run the sources.\n',
  );
}

/** What `npm start` starts, where it is built from today's sources; else those. */
const SERVER_FILE = path.join(ROOT, isFresh ? SERVER_BUILD.made : 'src/server/main.ts');

/** As `npm start`: memory of all threads comes from one place, so that less of it stays unused. */
export const SERVER_ENV: Readonly<Record<string, string>> = { MALLOC_ARENA_MAX: '1', ...PATIENT_DATABASE };

/** As `npm start`: a small young generation keeps what streams through a large upload from piling up. */
export const SERVER_COMMAND: readonly string[] = ['--max-semi-space-size=1', `--import=${CACHE}`, SERVER_FILE];
