import type { ReactNode } from 'react';
import { useBackend } from '#web/backend/client.ts';
import { fileTexts, shortName, sizeMessage } from '#web/submission/texts.ts';
import { Notice } from '#web/ui/notice.tsx';
import type { ShowToast } from '#web/ui/toast.tsx';
import type { Limits } from '#contract/app-config.ts';
import type { SelectionProblem } from '#web/submission/select-files.ts';
import { texts } from './texts.ts';

/** Every file that was left out, and why: the toast goes after 5 s and names one. */
export function NotAdded({ problems }: Readonly<{ problems: readonly SelectionProblem[] }>): ReactNode {
  const { limits } = useBackend().config;
  const named = problems.filter((problem) => problem.type !== 'too-many');
  if (named.length === 0) return null;
  const heic = named.some((problem) => problem.type === 'wrong-type' && problem.heic);
  return (
    <Notice tone="caution" title={texts.notAdded}>
      <ul>
        {named.map((problem, index) => (
          <li key={index} className="break-words">
            {describeReason(problem, limits)}
          </li>
        ))}
      </ul>
      {heic && <p className="mt-2">{fileTexts.heic}</p>}
    </Notice>
  );
}

function describeReason(problem: Exclude<SelectionProblem, { type: 'too-many' }>, limits: Limits): string {
  if (problem.type === 'too-large') return sizeMessage(problem, limits).description;
  return `„${shortName(problem.name)}“ ${texts.problem[problem.type]}.`;
}

export function describeProblem(problem: SelectionProblem, limits: Limits): Parameters<ShowToast>[0] {
  switch (problem.type) {
    case 'too-many':
      return texts.tooMany;
    case 'wrong-type':
      return texts.wrongType;
    case 'duplicate':
      return texts.duplicate(shortName(problem.name));
    default:
      return sizeMessage(problem, limits);
  }
}
