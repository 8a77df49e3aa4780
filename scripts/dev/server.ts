import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { watch } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';

/** `failed`: the process ended by itself; the next change of a file starts it again. */
export type ServerState = 'ready' | 'failed';

export type DevServer = Readonly<{
  /** Resolves when the server answers or has failed. */
  settled: () => Promise<ServerState>;
  stop: () => Promise<void>;
}>;

type Place = Readonly<{ root: string; env: NodeJS.ProcessEnv }>;

const WATCHED = ['src/contract', 'src/lib', 'src/http', 'src/backend', 'src/server', 'supabase'];
/** An editor writes several files in one go. */
const PAUSE_MS = 150;

/** Runs the server in a process of its own and restarts it when one of its files changes. */
export function runServer(place: Place): DevServer {
  let running = start(place);
  let restarting: Promise<void> = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;
  const restart = async (): Promise<void> => {
    const begun = performance.now();
    await end(running.child);
    running = start(place);
    const state = await running.settled;
    process.stdout.write(`  server ${state === 'ready' ? 'restarted' : 'failed'} (${seconds(begun)} s)\n`);
  };
  const changed = (file: string | null): void => {
    if (file?.endsWith('.test.ts') === true) return;
    clearTimeout(timer);
    timer = setTimeout(() => void (restarting = restarting.then(restart)), PAUSE_MS);
  };
  const watchers = WATCHED.map((folder) =>
    watch(path.join(place.root, folder), { recursive: true }, (_event, file) => changed(file)),
  );
  const settled = async (): Promise<ServerState> => {
    for (;;) {
      const awaited = restarting;
      await awaited;
      const state = await running.settled;
      if (awaited === restarting) return state;
    }
  };
  return {
    settled,
    stop: async () => {
      clearTimeout(timer);
      for (const watcher of watchers) watcher.close();
      await restarting;
      await end(running.child);
    },
  };
}

type Running = Readonly<{ child: ChildProcess; settled: Promise<ServerState> }>;

function start({ root, env }: Place): Running {
  const options = ['--max-semi-space-size=1', '--import', import.meta.resolve('./end-with-parent.ts')];
  const child = spawn(process.execPath, [...options, 'src/server/main.ts'], {
    cwd: root,
    env,
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  const settled = new Promise<ServerState>((resolve) => {
    const lines = child.stdout === null ? undefined : createInterface({ input: child.stdout });
    lines?.on('line', (line) => {
      // The address is the last thing that a start prints, and the only part of it that is not shown once more.
      if (line.startsWith('{')) process.stdout.write(`${line}\n`);
      else if (/ http:\/\//.test(line)) resolve('ready');
    });
    child.once('exit', () => resolve('failed'));
  });
  return { child, settled };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  await exited;
}

function seconds(since: number): string {
  return ((performance.now() - since) / 1000).toFixed(1);
}
