// Runs before every command, on whatever Node the machine has (20.19 or later): installs what the lock file names,
// the pinned Node among it, which npm then uses by itself. Does nothing where nothing changed.
// --production: leave out what only development needs · --build: build the browser application and the server too ·
// --browser: unpack the browser for tests too
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { BUILDS, digest, isBuilt, SERVER_BUILD, writeStamp } from './build/builds.mjs';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const INSTALL_STAMP = path.join(ROOT, 'node_modules', '.bootstrap-stamp');

const LEAST_NODE = [20, 19];
const NOT_INSTALLED =
  'Die Pakete konnten nicht installiert werden. ' +
  'Prüfe die Verbindung zum Internet oder die Einstellung registry von npm.';
/** Of npm: a package is not at its usual address, or a version of npm asks a registry without TLS over TLS. */
const ELSEWHERE = /\b(E40[34]|EPROTO|ERR_SSL_\w+)\b/;

requireNode();
const wants = new Set(process.argv.slice(2));
await install(wants.has('--production') ? 'production' : 'all');
if (wants.has('--build')) for (const each of BUILDS) await build(each);
if (wants.has('--browser')) {
  await run(pinnedNode(), ['scripts/browser.ts'], {
    step: 'Browser für die Tests wird entpackt',
    failure: 'Der Browser für die Tests konnte nicht entpackt werden.',
    quiet: true,
  });
}

function requireNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  const [leastMajor, leastMinor] = LEAST_NODE;
  if (major > leastMajor || (major === leastMajor && minor >= leastMinor)) return;
  fail(
    `Node ${LEAST_NODE.join('.')} oder neuer wird gebraucht, hier läuft ${process.versions.node}. Installiere es von https://nodejs.org.`,
  );
}

/** `scope` is 'production' or 'all'. What a full installation has is never removed again by a smaller one. */
async function install(scope) {
  const stamp = digest(
    ['package-lock.json', 'package.json', 'scripts/voice-client.ts'],
    `${process.platform}-${process.arch}`,
  );
  const [installedStamp, installedScope = 'all'] = read(INSTALL_STAMP).split(' ');
  const target = installedStamp !== '' && installedScope === 'all' ? 'all' : scope;
  if (existsSync(pinnedNode()) && installedStamp === stamp && installedScope === target) return;
  // `npm ci` refuses a lock file that misses other platforms' optional binaries; this installs the same versions
  // with the same integrity and leaves the lock file alone. Install scripts stay off: none is needed.
  await installPackages([
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
    fail(
      `Für ${process.platform}-${process.arch} gibt es kein Node 24 als Paket: Installiere Node 24 und starte noch einmal.`,
    );
  }
  if (target === 'all') {
    await run(pinnedNode(), ['scripts/voice-client.ts'], {
      step: 'Sprachclient für die Tests wird geladen',
      failure: NOT_INSTALLED,
      quiet: true,
    });
  }
  writeFileSync(INSTALL_STAMP, `${stamp} ${target}`);
}

async function build(wanted) {
  if (isBuilt(wanted)) return;
  const { config, step, failure } = wanted;
  const vite = ['node_modules/vite/bin/vite.js', 'build', '--config', config, '--logLevel', 'warn'];
  // What a build that fails leaves is of no sources.
  rmSync(path.join(ROOT, wanted.stamp), { force: true });
  // Whatever the shell says: React's development build is larger than the first screens may be.
  await run(pinnedNode(), vite, { step, failure, env: { NODE_ENV: 'production' } });
  if (wanted === SERVER_BUILD) loadServer();
  writeStamp(wanted);
}

/**
 * Keeps what the server compiles while it loads: a first start that compiles it takes 11 MB more as long as it runs.
 * The flags are those of `npm start`, as code compiled with others is not used. Whatever fails here, the start says.
 */
function loadServer() {
  const { scripts } = JSON.parse(read(path.join(ROOT, 'package.json')));
  const args = scripts.start.replace(/^.*?\bnode /, '');
  spawnSync(pinnedNode(), [...args.split(' '), '--load'], { cwd: ROOT, stdio: 'ignore' });
}

/**
 * The lock file names no registry, so npm would ask the registry about each package only to learn its address: half of
 * the time. Nearly all registries use the same paths, so npm gets a copy of the lock file with these. Where a registry
 * has a package elsewhere, npm asks.
 */
async function installPackages(args) {
  const shrinkwrap = path.join(ROOT, 'npm-shrinkwrap.json');
  // Ctrl-C ends npm too. The copy, which npm prefers to the lock file, must not be left behind.
  let interrupted = false;
  const interrupt = () => (interrupted = true);
  process.on('SIGINT', interrupt);
  try {
    writeFileSync(shrinkwrap, JSON.stringify(addTarballUrls(JSON.parse(read(path.join(ROOT, 'package-lock.json'))))));
  } catch (error) {
    failWith(error.message, NOT_INSTALLED);
  }
  const said = await npm([...args, '--replace-registry-host=always']);
  rmSync(shrinkwrap, { force: true });
  process.off('SIGINT', interrupt);
  if (interrupted) process.exit(130);
  const failure = said !== undefined && ELSEWHERE.test(said) ? await npm(args) : said;
  if (failure !== undefined) failWith(failure, NOT_INSTALLED);
}

/** With `--replace-registry-host=always` npm puts the configured registry in the place of the host. */
function addTarballUrls(lock) {
  for (const [place, entry] of Object.entries(lock.packages ?? {})) {
    if (place === '' || entry.version === undefined || entry.inBundle || entry.link || entry.resolved) continue;
    const name = entry.name ?? place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length);
    entry.resolved = `https://registry.invalid/${name}/-/${path.basename(name)}-${entry.version}.tgz`;
  }
  return lock;
}

function npm(args) {
  const cli = process.env.npm_execpath;
  const step = { step: 'Pakete werden installiert (beim ersten Mal einige Minuten)' };
  if (cli !== undefined && /\.c?js$/.test(cli)) return attempt(process.execPath, [cli, ...args], step);
  return attempt('npm', args, step);
}

async function run(command, args, { failure, ...rest }) {
  const said = await attempt(command, args, rest);
  if (said !== undefined) failWith(said, failure);
}

/** Shows the step with its seconds. Resolves to what a command said that failed. `quiet`: no step without a terminal. */
async function attempt(command, args, { step, quiet = false, env = {} }) {
  const end = showStep(step, quiet);
  const child = spawn(command, args, { cwd: ROOT, env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece) => (said += piece));
  const status = await new Promise((resolve) => {
    child.once('error', (error) => resolve(((said += error.message), 1)));
    child.once('close', resolve);
  });
  end(status === 0);
  return status === 0 ? undefined : said;
}

function failWith(said, failure) {
  process.stderr.write(said === '' || said.endsWith('\n') ? said : `${said}\n`);
  fail(describeFailure(said) ?? failure);
}

/** The terminal shows how long it takes; a log gets one line. */
function showStep(step, quiet) {
  const { stderr } = process;
  if (!stderr.isTTY) {
    if (!quiet) stderr.write(`  ${step} ...\n`);
    return () => undefined;
  }
  const begun = Date.now();
  const show = (rest) => {
    const seconds = Math.round((Date.now() - begun) / 1000);
    stderr.write(`\r\u001B[2K  ${step} ...${seconds > 0 ? ` ${seconds} s` : ''}${rest}`);
  };
  show('');
  const timer = setInterval(() => show(''), 1000);
  return (done) => {
    clearInterval(timer);
    show(done ? ' fertig\n' : '\n');
  };
}

function describeFailure(said) {
  if (/ENOSPC|EDQUOT|no space left/i.test(said))
    return `Der Datenträger von ${ROOT} ist voll. Schaffe Platz und starte noch einmal.`;
  if (/EACCES|EROFS|EPERM/.test(said))
    return `In ${ROOT} kann dieses Konto nicht schreiben. Gib ihm dort Rechte und starte noch einmal.`;
  return undefined;
}

function pinnedNode() {
  const pinned = path.join(ROOT, 'node_modules', '.bin', process.platform === 'win32' ? 'node.cmd' : 'node');
  return existsSync(pinned) || Number(process.versions.node.split('.')[0]) < 24 ? pinned : process.execPath;
}

function read(file) {
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}

function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}
