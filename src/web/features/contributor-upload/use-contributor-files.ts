import { useState } from 'react';
import { useBackend } from '#web/backend/client.ts';
import { heldFilesOf } from '#web/submission/held.ts';
import { useChosenFiles } from '#web/submission/use-chosen-files.ts';
import { useToast } from '#web/ui/toast.tsx';
import { selectionMessage } from './not-added.tsx';
import { selectFiles, type SelectionProblem } from './selection.ts';

/** The files chosen here, beginning with those which could not be sent for this contribution before. */
export function useContributorFiles(id: string | undefined) {
  const { limits } = useBackend().config;
  const toast = useToast();
  const chosen = useChosenFiles(heldFilesOf(id));
  const [problems, setProblems] = useState<readonly SelectionProblem[]>([]);
  const take = (added: readonly File[]) => {
    const selected = chosen.files.map(({ file }) => file);
    const { accepted, problems: found } = selectFiles(selected, added, limits);
    const [first] = found;
    setProblems(found);
    if (first !== undefined) toast({ ...selectionMessage(first, limits), variant: 'destructive' });
    if (accepted.length > 0) chosen.add(accepted);
  };
  return { chosen, take, problems };
}
