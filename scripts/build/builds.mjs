import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

// Runs on whatever Node the machine has, as bootstrap.mjs does.
const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const TOOLS = ['scripts/build', 'package-lock.json'];

/** What `npm start` needs built; each in `dist`, with a stamp of what it was made from beside it. */
export const BUILDS = [
  {
    made: 'dist/web/index.html',
    stamp: 'dist/web-stamp',
    config: 'vite.config.ts',
    inputs: ['src/web', 'src/contract'],
    step: 'Oberfläche wird gebaut',
    failure: 'Die Oberfläche konnte nicht gebaut werden.',
  },
  {
    made: 'dist/server/main.js',
    stamp: 'dist/server-stamp',
    config: 'vite.server.config.ts',
    inputs: ['src/contract', 'src/lib', 'src/http', 'src/backend', 'src/server'],
    step: 'Server wird gebaut',
    failure: 'Der Server konnte nicht gebaut werden.',
  },
];

export const [WEB_BUILD, SERVER_BUILD] = BUILDS;

/** Whether the build is there and made from what its sources are now. */
export function isBuilt(build) {
  return existsSync(path.join(ROOT, build.made)) && read(path.join(ROOT, build.stamp)) === stampOf(build);
}

export function writeStamp(build) {
  const file = path.join(ROOT, build.stamp);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, stampOf(build));
}

/** The same for the same files. */
export function digest(inputs, salt) {
  const hash = createHash('sha256').update(salt);
  for (const file of inputs.flatMap(filesBelow)) hash.update(file).update(readFileSync(path.join(ROOT, file)));
  return hash.digest('hex');
}

function stampOf({ inputs, config, made }) {
  return digest([...inputs, config, ...TOOLS], made);
}

function filesBelow(input) {
  const full = path.join(ROOT, input);
  if (!existsSync(full)) return [];
  if (statSync(full).isFile()) return /\.test\.tsx?$/.test(input) ? [] : [input];
  return readdirSync(full)
    .toSorted()
    .flatMap((name) => filesBelow(path.join(input, name)));
}

function read(file) {
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}
