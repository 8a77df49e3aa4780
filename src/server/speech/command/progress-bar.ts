import type { WriteStream } from 'node:tty';
import type { InstallProgress } from '../models/download.ts';
import { formatBytes } from './texts.ts';

export type ProgressBar = Readonly<{ show: (progress: InstallProgress) => void; end: () => void }>;

const WIDTH = 30;
const TITLES = { downloading: 'Laden ', verifying: 'Prüfen' } as const;

/** Draws one line again and again on a terminal; writes a line for each tenth elsewhere, as a log file wants it. */
export function createProgressBar(out: Pick<WriteStream, 'write' | 'isTTY'>): ProgressBar {
  let last = '';
  return {
    show: (progress) => {
      const line = out.isTTY ? formatBar(progress) : formatTenth(progress);
      if (line === last) return;
      last = line;
      out.write(out.isTTY ? `\r${line}` : `${line}\n`);
    },
    end: () => void (out.isTTY && last !== '' && out.write('\n')),
  };
}

function formatBar({ phase, doneBytes, totalBytes }: InstallProgress): string {
  const share = doneBytes / totalBytes;
  const filled = Math.floor(share * WIDTH);
  const bar = '█'.repeat(filled) + '░'.repeat(WIDTH - filled);
  const percent = `${Math.floor(share * 100)} %`.padStart(5);
  return `${TITLES[phase]} ${bar} ${percent}  ${formatBytes(doneBytes)} von ${formatBytes(totalBytes)}`;
}

function formatTenth({ phase, doneBytes, totalBytes }: InstallProgress): string {
  return `${TITLES[phase].trim()} ${Math.floor((doneBytes / totalBytes) * 10) * 10} %`;
}
