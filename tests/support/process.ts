import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { inherited } from './processes.ts';
import { SERVER_COMMAND, SERVER_ENV } from './server-file.ts';

/** The server as an operator starts it: a process of its own, with its own PostgreSQL unless told otherwise. */
export type ServerProcess = Readonly<{
  child: ChildProcess;
  /** Resolves with the address it announced; rejects with everything it said when it ended instead. */
  url: Promise<string>;
  output: () => string;
  /** Ends it and resolves with its exit code, null after a kill. */
  end: (signal: NodeJS.Signals) => Promise<number | null>;
}>;

export function spawnServer(env: Readonly<Record<string, string>>, { inGroup = false } = {}): ServerProcess {
  const child = spawn(process.execPath, [...SERVER_COMMAND], {
    env: { ...inherited(), ...SERVER_ENV, PORT: '0', LOG_LEVEL: 'warn', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    // As a shell starts a command: all its processes get a terminal's signals.
    detached: inGroup,
  });
  let said = '';
  const url = new Promise<string>((resolve, reject) => {
    const hear = (chunk: Buffer): void => {
      said += chunk.toString();
      const address = /http:\/\/\S+:\d+/.exec(said)?.[0];
      if (address !== undefined) resolve(address);
    };
    child.stdout.on('data', hear);
    child.stderr.on('data', hear);
    child.once('exit', () => reject(new Error(said)));
  });
  url.catch(() => undefined);
  return { child, url, output: () => said, end: (signal) => end(child, signal) };
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
  const exited = once(child, 'exit');
  child.kill(signal);
  await exited;
  return child.exitCode;
}
