import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** In a process of its own, because painting the pictures would hold up the pages. Resolves to whether it succeeded. */
export async function runSeed(root: string, env: NodeJS.ProcessEnv): Promise<boolean> {
  const child = spawn(process.execPath, ['scripts/seed.ts'], { cwd: root, env, stdio: 'inherit' });
  const [code] = (await once(child, 'exit')) as [number | null];
  return code === 0;
}
