import type { Limits } from '#contract/app-config.ts';
import { useBackend } from '#web/backend/client.ts';
import { fileTexts, shortName, sizeMessage } from '#web/submission/file-texts.ts';
import { useChosenFiles } from '#web/submission/use-chosen-files.ts';
import { useToast, type ShowToast } from '#web/ui/toast.tsx';
import { selectImages, type SelectionProblem } from './selection.ts';
import { texts } from './texts.ts';

/** The images chosen on this screen. */
export function useChosenImages(maxFiles: number) {
  const { limits } = useBackend().config;
  const toast = useToast();
  const chosen = useChosenFiles();
  const take = (added: readonly File[]) => {
    const selected = chosen.files.map(({ file }) => file);
    const { accepted, problem } = selectImages(selected, added, { maxFiles, limits });
    if (accepted.length > 0) (maxFiles === 1 ? chosen.replace : chosen.add)(accepted);
    if (problem !== undefined) toast({ ...messageOf(problem, maxFiles, limits), variant: 'destructive' });
  };
  return { chosen, take };
}

function messageOf(problem: SelectionProblem, maxFiles: number, limits: Limits): Parameters<ShowToast>[0] {
  switch (problem.type) {
    case 'too-many':
      return maxFiles === 1 ? texts.tooManyOne : texts.tooMany;
    case 'duplicate':
      return texts.duplicate(shortName(problem.name));
    case 'wrong-type': {
      const { title, description } = texts.wrongType;
      return { title, description: problem.heic ? `${description} ${fileTexts.heic}` : description };
    }
    default:
      return sizeMessage(problem, limits);
  }
}
