import type { DeskContribution } from '#contract/desk.ts';
import { storedFiles } from './stored-files.ts';

/**
 * Where to find what was said, if there is no transcript. `lost`: a recording was handed in and the store has it no more.
 * `filed`: the text arrived as a file only (§8).
 */
export type Instead =
  | Readonly<{ kind: 'recording'; path: string }>
  | Readonly<{ kind: 'filed' | 'logged' | 'lost' | 'nothing' }>;

export function insteadOfTranscript({ fileList, turns }: Pick<DeskContribution, 'fileList' | 'turns'>): Instead {
  const files = storedFiles(fileList);
  if (files.some(({ name, there }) => name === 'transcript' && there === 'yes')) return { kind: 'filed' };
  const recordings = files.filter(({ use }) => use === 'audio');
  const there = recordings.findLast((one) => one.there === 'yes');
  if (there !== undefined) return { kind: 'recording', path: there.file.path };
  if (turns.length > 0) return { kind: 'logged' };
  return { kind: recordings.length > 0 ? 'lost' : 'nothing' };
}
