import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

/** A loudspeaker that nobody hears: on a machine without one, Firefox's sound never begins to run. */
export type SoundServer = Readonly<{ env: Readonly<Record<string, string>>; stop: () => Promise<void> }>;

const EXECUTABLE = '/usr/bin/pulseaudio';

export function hasSoundServer(): boolean {
  return existsSync(EXECUTABLE);
}

const START_TRIES = 200;

/** Everything it needs lies in `folder`. */
export async function startSoundServer(folder: string): Promise<SoundServer> {
  const socket = path.join(folder, 'pulse');
  // prettier-ignore
  const child = spawn(
    EXECUTABLE,
    [
      '-n', '--daemonize=no', '--use-pid-file=no', '--disable-shm=yes', '--exit-idle-time=-1',
      '-L', 'module-null-sink', '-L', `module-native-protocol-unix socket=${socket} auth-anonymous=1`,
    ],
    { env: { ...process.env, HOME: folder }, stdio: 'ignore' },
  );
  for (let tries = 0; !existsSync(socket); tries += 1) {
    if (child.exitCode !== null || tries > START_TRIES) throw new Error('the sound server does not start');
    await pause(50);
  }
  return {
    env: { PULSE_SERVER: `unix:${socket}` },
    stop: async () => {
      if (child.exitCode === null && child.kill('SIGKILL')) await once(child, 'exit');
    },
  };
}
