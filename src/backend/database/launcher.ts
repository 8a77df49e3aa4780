import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { promisify } from 'node:util';
import { getErrorCode } from '#lib/error-code.ts';

const run = promisify(execFile);

/** The server's environment holds keys that PostgreSQL does not need and that its functions could read. */
const NEEDED = ['PATH', 'TZ', 'LD_LIBRARY_PATH', 'SystemRoot'];
const environment = (): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => NEEDED.includes(name)));

/**
 * How a PostgreSQL program is started here. PostgreSQL refuses to run as root, so root starts it
 * inside a user namespace in which it is somebody else (files stay reachable, even below a 0700 home),
 * or, where namespaces are forbidden, as the operating-system user `nobody`.
 */
export type Launcher = Readonly<{ kind: 'plain' | 'namespace' | 'nobody'; prefix: readonly string[] }>;

export const NOBODY = 65_534;
const IN_NAMESPACE = ['unshare', '--user', `--map-user=${NOBODY}`, `--map-group=${NOBODY}`];
const AS_NOBODY = ['setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups'];
// PostgreSQL gets SIGINT (fast shutdown) from the kernel when this process dies, however it dies.
const DIES_WITH_US = ['setpriv', '--pdeathsig', 'INT'];

export async function chooseLauncher(): Promise<Launcher> {
  const dying = (await works([...DIES_WITH_US, 'true'])) ? DIES_WITH_US : [];
  if (process.getuid?.() !== 0) return { kind: 'plain', prefix: dying };
  if (await works([...IN_NAMESPACE, 'true'])) return { kind: 'namespace', prefix: [...dying, ...IN_NAMESPACE] };
  if (await works([...AS_NOBODY, 'true'])) return { kind: 'nobody', prefix: [...AS_NOBODY, ...dying] };
  throw new Error('PostgreSQL does not run as root here: start the server as an ordinary user, or set DATABASE_URL.');
}

export async function runOnce(launcher: Launcher, program: string, args: readonly string[]): Promise<void> {
  const [file, ...rest] = [...launcher.prefix, program, ...args];
  if (file === undefined) throw new Error('no program');
  await run(file, rest, { env: environment() });
}

export function start(launcher: Launcher, program: string, args: readonly string[], log: number): ChildProcess {
  const [file, ...rest] = [...launcher.prefix, program, ...args];
  if (file === undefined) throw new Error('no program');
  return spawn(file, rest, { env: environment(), stdio: ['ignore', log, log] });
}

async function works(command: readonly string[]): Promise<boolean> {
  const [file, ...args] = command;
  if (file === undefined) return true;
  return run(file, args).then(
    () => true,
    () => false,
  );
}

/** Whether there is a process of this number, of whatever user. */
export function isRunning(pid: number): boolean {
  if (!(pid > 0)) return false;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return getErrorCode(error) === 'EPERM';
  }
}
