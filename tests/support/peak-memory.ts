/**
 * Lets a Node process say at its end how much memory it had at most. Linux's own figure (`maxRSS`) begins with that of
 * the process that started it, so a large test would count as its command.
 */
const TELL = `import { readFileSync } from 'node:fs';
process.on('exit', () => {
  const own = process.platform === 'linux' && /VmHWM:\\s+(\\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1];
  process.stderr.write('peak ' + (own || process.resourceUsage().maxRSS));
});`;

export const PEAK_MEMORY = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(TELL)}` } as const;

/** MiB, from what the process wrote to its standard error. */
export function readPeakMemory(err: string): number {
  return Number(/peak (\d+)/.exec(err)?.[1]) / 1024;
}
