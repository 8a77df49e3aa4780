import { clsx } from 'clsx';
import { ArrowRight, Clock } from '#web/ui/icons.tsx';
import { MessagesSquare, PencilLine } from '#web/ui/screen-icons.ts';
import type { ReactNode } from 'react';
import type { ChosenFile } from '#web/submission/use-chosen-files.ts';
import { useStep } from '#web/submission/flow.ts';
import { FlowScreen } from '#web/ui/flow-screen.tsx';
import { FileSummary } from './file-stage.tsx';
import { texts, type MediaKind } from './texts.ts';

type Way = 'text' | 'interview';

const ICONS = { text: PencilLine, interview: MessagesSquare } as const;
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
            <WayCard way={way} onChoose={() => onChoose(way)} />
          </li>
        ))}
      </ul>
    </FlowScreen>
  );
}

function WayCard({ way, onChoose }: Readonly<{ way: Way; onChoose: () => void }>): ReactNode {
  const Icon = ICONS[way];
  const { title, line, duration } = texts.choice[way];
  return (
    <button
      type="button"
      onClick={onChoose}
      className={clsx(
        'group flex h-full w-full gap-4 rounded-card border border-line bg-surface p-5 text-left',
        'transition-colors hover:border-accent sm:flex-col sm:gap-5 sm:p-6',
      )}
    >
      <span
        className={clsx(
          'flex size-12 shrink-0 items-center justify-center rounded-control bg-accent-wash',
          'text-accent-ink transition-colors group-hover:bg-accent group-hover:text-on-accent',
        )}
      >
        <Icon aria-hidden className="size-6" />
      </span>
      <span className="flex min-w-0 flex-1 flex-col">
        <span className="text-lg leading-snug font-semibold tracking-tight">{title}</span>
        <span className="mt-1 text-muted">{line}</span>
        <span className="mt-auto flex items-center justify-between gap-3 pt-3 text-sm text-muted sm:pt-5">
          <span className="tabular inline-flex items-center gap-1.5">
            <Clock aria-hidden className="size-4" />
            {duration}
          </span>
          <ArrowRight
            aria-hidden
            className="size-5 transition-[transform,color] group-hover:translate-x-1 group-hover:text-accent-ink"
          />
        </span>
      </span>
    </button>
  );
}
