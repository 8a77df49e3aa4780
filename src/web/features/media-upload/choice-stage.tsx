import { MessagesSquare, PencilLine } from '#web/ui/screen-icons.ts';
import type { ReactNode } from 'react';
import type { ChosenFile } from '#web/submission/use-chosen-files.ts';
import { useStep } from '#web/submission/flow.ts';
import { FlowScreen } from '#web/ui/flow-screen.tsx';
import { OptionButton } from '#web/ui/option-card.tsx';
import { FileSummary } from './file-stage.tsx';
import { texts, type MediaKind } from './texts.ts';

type Way = 'text' | 'interview';

const ICONS = {
  text: <PencilLine aria-hidden className="size-6" />,
  interview: <MessagesSquare aria-hidden className="size-6" />,
} as const;
const WAYS: readonly Way[] = ['text', 'interview'];

type ChoiceStageProps = Readonly<{
  kind: MediaKind;
  file: ChosenFile;
  onBack: () => void;
  onChoose: (way: Way) => void;
}>;

/** Second stage: in writing or in a conversation. */
export function ChoiceStage({ kind, file, onBack, onChoose }: ChoiceStageProps): ReactNode {
  const step = useStep('description');
  return (
    <FlowScreen
      step={step}
      title={texts.choiceHeading}
      lead={texts.choiceLead}
      summary={<FileSummary kind={kind} file={file} />}
      onBack={onBack}
    >
      <ul className="grid gap-3 sm:grid-cols-2 sm:gap-4">
        {WAYS.map((way) => (
          <li key={way}>
            <OptionButton icon={ICONS[way]} {...texts.choice[way]} onClick={() => onChoose(way)} />
          </li>
        ))}
      </ul>
    </FlowScreen>
  );
}
