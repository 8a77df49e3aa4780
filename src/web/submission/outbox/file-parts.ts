import type { ChosenFile } from '../use-chosen-files.ts';
import type { PartDraft } from './outbox.ts';

/** What of the chosen files has not arrived, under the names they were tried with. */
export function filePartsOf(files: readonly ChosenFile[]): readonly PartDraft[] {
  return files
    .filter(({ state }) => state !== 'done')
    .map(({ file, path }) => ({ kind: 'file', blob: file, name: file.name, path }));
}
