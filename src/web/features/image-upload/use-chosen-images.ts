import type { Limits } from '#contract/app-config.ts';
import { useBackend } from '#web/backend/client.ts';
import { fileTexts, shortName, sizeMessage } from '#web/submission/texts.ts';
import { selectFiles, type SelectionProblem } from '#web/submission/select-files.ts';
import { useChosenFiles } from '#web/submission/use-chosen-files.ts';
import { useToast, type ShowToast } from '#web/ui/toast.tsx';

import { texts } from './texts.ts';

/** The images chosen on this screen. */
export function useChosenImages(maxFiles: number) {
  const { limits } = useBackend().config;
  const toast = useToast();
  const chosen = useChosenFiles();
  const take = (added: readonly File[]) => {
    const selected = chosen.files.map(({ file }) => file);
    const { accepted, problems } = selectFiles(selected, added, { maxFiles, kinds: 'images', limits });
    if (accepted.length > 0) (maxFiles === 1 ? chosen.replace : chosen.add)(accepted);
    const [first] = problems;
    if (first === undefined) return;
    const isHeic = problems.some((problem) => problem.type === 'wrong-type' && problem.heic);
    toast({ ...describeProblem(first, { maxFiles, limits, isHeic }), variant: 'destructive' });
  };
  return { chosen, take };
}

type Situation = Readonly<{ maxFiles: number; limits: Limits; isHeic: boolean }>;

function describeProblem(problem: SelectionProblem, { maxFiles, limits, isHeic }: Situation): Parameters<ShowToast>[0] {
  switch (problem.type) {
    case 'too-many':
      return maxFiles === 1 ? texts.tooManyOne : texts.tooMany;
    case 'duplicate':
      return texts.duplicate(shortName(problem.name));
    case 'wrong-type': {
      const { title, description } = texts.wrongType;
      return { title, description: isHeic ? `${description} ${fileTexts.heic}` : description };
    }
    default:
      return sizeMessage(problem, limits);
  }
}
