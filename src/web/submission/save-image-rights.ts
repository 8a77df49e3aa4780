import type { ImageRights } from '#contract/media-uploads.ts';
import type { BackendClient } from '#web/backend/client.ts';
import { isKind } from '#web/backend/errors.ts';
import { answerImageRights } from '#web/backend/media.ts';
import type { ShowToast } from '#web/ui/toast.tsx';
import { getContributionClient } from './contribution-client.ts';
import { imageRightsProblems } from './image-rights-texts.ts';
import type { ChosenFile, ChosenFiles } from './use-chosen-files.ts';

type SaverDeps = Pick<ChosenFiles, 'update'> &
  Readonly<{ loadBackend: () => Promise<BackendClient>; toast: ShowToast; clearMessage: () => void }>;

export type ImageRightsSaver = (files: readonly ChosenFile[], rights: ImageRights) => void;

/**
 * Saves who can be recognised on files that have arrived, one answer after the other. Where that fails, the
 * stored answer is shown again, and a message says so.
 */
export function createImageRightsSaver(deps: SaverDeps): ImageRightsSaver {
  /** By the key of a file: what the backend has, and how many choices are still to be saved. */
  const known = new Map<string, { stored: ImageRights | undefined; open: number }>();
  const report = createReport(deps);
  let last = Promise.resolve();
  const save = async ({ key, path = '' }: ChosenFile, rights: ImageRights): Promise<readonly unknown[]> => {
    const file = known.get(key) ?? { stored: undefined, open: 1 };
    try {
      const client = getContributionClient(await deps.loadBackend(), path.split('/')[0]);
      await answerImageRights(client, path, rights);
      file.stored = rights;
      return [];
    } catch (error) {
      // A later choice stays until it is saved.
      if (file.open === 1) deps.update(key, { imageRights: file.stored });
      return [error];
    } finally {
      file.open -= 1;
    }
  };
  const saveAll = async (before: Promise<void>, files: readonly ChosenFile[], rights: ImageRights): Promise<void> => {
    await before;
    const errors: unknown[] = [];
    for (const file of files) errors.push(...(await save(file, rights)));
    report(errors);
  };
  return (files, rights) => {
    for (const { key, imageRights } of files) {
      const file = known.get(key) ?? { stored: imageRights, open: 0 };
      file.open += 1;
      known.set(key, file);
    }
    last = saveAll(last, files, rights);
  };
}

/** Says what went wrong; the next answer that arrives takes it back. */
function createReport({ toast, clearMessage }: SaverDeps): (errors: readonly unknown[]) => void {
  let reported = false;
  return (errors) => {
    const refused = errors.some((error) => isKind(error, 'refused'));
    const problem = refused ? imageRightsProblems.refused : imageRightsProblems.failed;
    if (errors.length > 0) toast({ ...problem, variant: 'destructive' });
    else if (reported) clearMessage();
    reported = errors.length > 0;
  };
}
