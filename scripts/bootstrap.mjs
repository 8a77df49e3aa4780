// Runs before every command, on whatever Node the machine has (20.19 or later): installs what the lock file names,
// the pinned Node among it, which npm then uses by itself. Does nothing where nothing changed.
// --production: leave out what only development needs · --build: build the browser application too ·
// --browser: unpack the browser for tests too
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const INSTALL_STAMP = path.join(ROOT, 'node_modules', '.bootstrap-stamp');
const BUILD_STAMP = path.join(ROOT, 'dist', 'web-stamp');
const BUILD_INPUTS = ['src/web', 'src/contract', 'vite.config.ts', 'package-lock.json'];

const wants = new Set(process.argv.slice(2));
install(wants.has('--production') ? 'production' : 'all');
if (wants.has('--build')) build();
if (wants.has('--browser'))
  run(pinnedNode(), ['scripts/browser.ts'], 'The browser for the tests could not be unpacked.');

/** `scope` is 'production' or 'all'. What a full installation has is never removed again by a smaller one. */
function install(scope) {
  const stamp = digest(['package-lock.json', 'package.json'], `${process.platform}-${process.arch}`);
  const [installedStamp, installedScope = 'all'] = read(INSTALL_STAMP).split(' ');
  const target = installedStamp !== '' && installedScope === 'all' ? 'all' : scope;
  if (existsSync(pinnedNode()) && installedStamp === stamp && installedScope === target) return;
  // `npm ci` refuses a lock file that misses other platforms' optional binaries; this installs the same versions
  // with the same integrity and leaves the lock file alone. Install scripts stay off: none is needed.
  npm([
    'install',
    '--no-save',
    '--ignore-scripts',
    target === 'all' ? '--include=dev' : '--omit=dev',
    '--include=optional',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
  ]);
  if (!existsSync(pinnedNode()) && Number(process.versions.node.split('.')[0]) < 24) {
    fail(`There is no packaged Node 24 for ${process.platform}-${process.arch}: install Node 24 and start again.`);
  }
  writeFileSync(INSTALL_STAMP, `${stamp} ${target}`);
}

function build() {
  const stamp = digest(BUILD_INPUTS, 'web');
  if (existsSync(path.join(ROOT, 'dist', 'web', 'index.html')) && read(BUILD_STAMP) === stamp) return;
  run(
    pinnedNode(),
    ['node_modules/vite/bin/vite.js', 'build', '--logLevel', 'warn'],
    'The browser application could not be built.',
  );
  mkdirSync(path.dirname(BUILD_STAMP), { recursive: true });
  writeFileSync(BUILD_STAMP, stamp);
}

function npm(args) {
  const cli = process.env.npm_execpath;
  const failure = 'The packages could not be installed.';
  if (cli !== undefined && /\.c?js$/.test(cli)) run(process.execPath, [cli, ...args], failure);
  else run('npm', args, failure);
}

function run(command, args, failure) {
  const result = spawnSync(command, args, { cwd: ROOT, stdio: ['ignore', 2, 2] });
  if (result.status !== 0) fail(failure);
}

function pinnedNode() {
  const pinned = path.join(ROOT, 'node_modules', '.bin', process.platform === 'win32' ? 'node.cmd' : 'node');
  return existsSync(pinned) || Number(process.versions.node.split('.')[0]) < 24 ? pinned : process.execPath;
}

function digest(inputs, salt) {
  const hash = createHash('sha256').update(salt);
  for (const file of inputs.flatMap(filesBelow)) hash.update(file).update(readFileSync(path.join(ROOT, file)));
  return hash.digest('hex');
}

function filesBelow(input) {
  const full = path.join(ROOT, input);
  if (!existsSync(full)) return [];
  if (statSync(full).isFile()) return [input];
  return readdirSync(full)
    .toSorted()
    .flatMap((name) => filesBelow(path.join(input, name)));
}

function read(file) {
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}

function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}
