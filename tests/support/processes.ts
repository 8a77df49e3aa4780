import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { SERVER_COMMAND } from './server-file.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

const ADDRESS = /http:\/\/[\d.]+:\d+/;

export type Finished = Readonly<{ code: number | null; out: string; err: string }>;

/** Runs a file of this project as a process of its own, with nothing but `env` in its environment. */
export async function runFile(file: string, args: readonly string[], env: Record<string, string>): Promise<Finished> {
  return finish(start(file, args, env));
}

async function finish(child: ChildProcess): Promise<Finished> {
  const [out, err] = [collect(child.stdout), collect(child.stderr)];
  await once(child, 'close');
  return { code: child.exitCode, out: out(), err: err() };
}

/** The same, to be ended in the middle. */
export function startFile(file: string, args: readonly string[], env: Record<string, string>) {
  const child = start(file, args, env);
  const [out, err] = [collect(child.stdout), collect(child.stderr)];
  const finished = once(child, 'close').then((): Finished => ({ code: child.exitCode, out: out(), err: err() }));
  return { out, finished, kill: (signal: 'SIGKILL' | 'SIGINT'): boolean => child.kill(signal) };
}

export type RunningProcess = Readonly<{
  url: string;
  out: () => string;
  /** Resolves when the process has ended. */
  end: (signal: 'SIGTERM' | 'SIGKILL') => Promise<void>;
}>;

/** Starts the server as its user would and waits until it tells where it is. */
export async function startServerProcess(env: Record<string, string>): Promise<RunningProcess> {
  const child = spawnNode(SERVER_COMMAND, { PORT: '0', LOG_LEVEL: 'error', ...env });
  const [out, err] = [collect(child.stdout), collect(child.stderr)];
  while (!ADDRESS.test(out())) {
    if (child.exitCode !== null) throw new Error(`the server ended: ${err()}`);
    await Promise.race([once(child.stdout ?? child, 'data'), once(child, 'close')]);
  }
  return {
    url: ADDRESS.exec(out())?.[0] ?? '',
    out,
    end: async (signal) => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const closed = once(child, 'close');
      child.kill(signal);
      await closed;
    },
  };
}

function start(file: string, args: readonly string[], env: Record<string, string>): ChildProcess {
  return spawnNode([path.join(ROOT, file), ...args], env);
}

function spawnNode(args: readonly string[], env: Record<string, string>): ChildProcess {
  return spawn(process.execPath, args, { env: { ...inherited(), ...env }, cwd: ROOT });
}

/** The server where it cannot start: ends by itself. */
export async function runServer(env: Record<string, string>): Promise<Finished> {
  return finish(spawnNode(SERVER_COMMAND, env));
}

/** What every process needs, whatever its settings: its tools, and where a run puts things (cluster.ts). */
export function inherited(): Record<string, string | undefined> {
  const { PATH, HOME, TMPDIR, NODE_COMPILE_CACHE } = process.env;
  return { PATH, HOME, TMPDIR, NODE_COMPILE_CACHE };
}

function collect(stream: NodeJS.ReadableStream | null): () => string {
  let text = '';
  stream?.on('data', (chunk: Buffer) => (text += chunk.toString()));
  return () => text;
}
