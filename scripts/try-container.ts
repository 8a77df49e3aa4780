/**
 * `npm run try-container`: carries out the steps of the Dockerfile in a temporary folder, without Docker, starts what
 * they make as an ordinary user and waits until its health check succeeds. Other than in a container, the base image is
 * this machine, and `/app` and `/data` are folders below the temporary one.
 */
import { spawn, spawnSync, type StdioOptions } from 'node:child_process';
import { once } from 'node:events';
import { globSync, readFileSync } from 'node:fs';
import { chmod, cp, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { isSent, parseDockerfile, type Stage, type Step } from './container/dockerfile.ts';
import { reservePort } from './reserved-port.ts';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const ORDINARY_USER = 65_534;
const PATIENCE_MS = 120_000;
const isRoot = process.getuid?.() === 0;

const stages = parseDockerfile(readFileSync(path.join(ROOT, 'Dockerfile'), 'utf8'));
const ignored = readFileSync(path.join(ROOT, '.dockerignore'), 'utf8');
const place = await mkdtemp(path.join(tmpdir(), 'smca-container-'));
await chmod(place, 0o755);
try {
  for (const stage of stages) await build(stage);
  await start(stages.at(-1));
} finally {
  await rm(place, { recursive: true, force: true });
}

function getFolder(name: string): string {
  return path.join(place, name === '' ? 'image' : name);
}

async function build({ name, steps }: Stage): Promise<void> {
  let folder = getFolder(name);
  await mkdir(folder, { recursive: true });
  for (const step of steps) {
    if (step.kind === 'workdir') folder = path.join(getFolder(name), step.folder);
    if (step.kind === 'workdir') await mkdir(folder, { recursive: true });
    if (step.kind === 'copy') await copy(step, folder);
    if (step.kind === 'run') run(step.command, folder, getFolder(name));
  }
}

async function copy({ from, sources, target }: Extract<Step, { kind: 'copy' }>, folder: string): Promise<void> {
  for (const source of sources) {
    const to = path.join(
      folder,
      target.endsWith('/') || target === '.' ? path.join(target, path.basename(source)) : target,
    );
    process.stdout.write(`COPY ${source}\n`);
    if (from === undefined) await copySent(source, to);
    else await cp(path.join(getFolder(from), source), to, { recursive: true, verbatimSymlinks: true });
  }
}

async function copySent(source: string, to: string): Promise<void> {
  const files = globSync([source, `${source}/**/*`], { cwd: ROOT, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(ROOT, path.join(entry.parentPath, entry.name)))
    .filter((file) => isSent(ignored, file));
  if (files.length === 0) throw new Error(`Dockerfile: nothing to copy from ${source}`);
  for (const file of files) await cp(path.join(ROOT, file), path.join(to, path.relative(source, file)));
}

/**
 * With the caller's environment, which says where packages come from. Folders of the image begin with a slash; the user
 * `node` of the base image is the one that starts the server here.
 */
function run(command: string, folder: string, root: string): void {
  process.stdout.write(`RUN ${command}\n`);
  const owner = isRoot ? `${ORDINARY_USER}:${ORDINARY_USER}` : `${process.getuid?.()}:${process.getgid?.()}`;
  const here = command.replaceAll(' /data', ` ${root}/data`).replaceAll('node:node', owner);
  const { status } = spawnSync('sh', ['-c', here], {
    cwd: folder,
    env: { ...process.env, PATH: searchPath() },
    stdio: ['ignore', 2, 2],
  });
  if (status !== 0) throw new Error(`The step failed: ${command}`);
}

/** The system's programs and this Node, without the programs of this project's packages. */
function searchPath(): string {
  const folders = [path.dirname(process.execPath), ...(process.env['PATH'] ?? '').split(':')];
  return folders.filter((folder) => !folder.includes('node_modules/.bin')).join(':');
}

async function start(image: Stage | undefined): Promise<void> {
  if (image === undefined) throw new Error('Dockerfile: no stage');
  const root = getFolder(image.name);
  const { port, release } = await reservePort();
  const settings = image.steps.flatMap((step) => (step.kind === 'env' ? [[step.name, step.value] as const] : []));
  const env: Record<string, string> = {
    PATH: searchPath(),
    HOME: place,
    ...Object.fromEntries(settings),
    DATA_DIR: path.join(root, 'data'),
    PORT: String(port),
    LOG_LEVEL: 'warn',
  };
  const user = isRoot ? { uid: ORDINARY_USER, gid: ORDINARY_USER } : {};
  const output: StdioOptions = ['ignore', 'inherit', 'inherit'];
  const options = { cwd: path.join(root, 'app'), env, ...user, stdio: output };
  const [program = '', ...args] = buildCommand(image, 'command');
  process.stdout.write(`CMD ${[program, ...args].join(' ')}\n`);
  const server = spawn(program, args, options);
  const exited = once(server, 'exit');
  try {
    const [check = '', ...checkArgs] = buildCommand(image, 'health');
    const deadline = Date.now() + PATIENCE_MS;
    while (spawnSync(check, checkArgs, options).status !== 0) {
      if (server.exitCode !== null || Date.now() > deadline) throw new Error('The health check does not succeed.');
      await wait(1_000);
    }
    process.stdout.write('HEALTHCHECK succeeds\n');
    await checkAnswers(`http://127.0.0.1:${port}`);
  } finally {
    server.kill('SIGTERM');
    await release();
  }
  const [code] = (await exited) as [number | null];
  if (code !== 0) throw new Error(`The server ended with ${code} after SIGTERM.`);
  process.stdout.write('The server answered as an ordinary user and ended in order.\n');
}

function buildCommand({ steps }: Stage, kind: 'health' | 'command'): readonly string[] {
  return steps.flatMap((step) => (step.kind === kind ? step.command : []));
}

async function checkAnswers(url: string): Promise<void> {
  const health = (await (await fetch(`${url}/health`)).json()) as Record<string, unknown>;
  process.stdout.write(`${JSON.stringify(health)}\n`);
  const page = await fetch(`${url}/`);
  const script = /src="(\/assets\/[^"]+\.js)"/.exec(await page.text())?.[1];
  const policy = page.headers.get('content-security-policy') ?? '';
  if (script === undefined || !policy.includes("script-src 'self';")) throw new Error('The application is not served.');
  if (!(await fetch(url + script)).ok) throw new Error(`${script} is not served.`);
}
