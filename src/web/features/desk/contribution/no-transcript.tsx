import { AudioLines, FileX2, Play } from 'lucide-react';
import type { ReactNode } from 'react';
import type { DeskContribution } from '#contract/desk.ts';
import { Button } from '#web/ui/button.tsx';
import { EmptyState } from '#web/ui/state-screens.tsx';
import { insteadOfTranscript } from './instead-of-transcript.ts';
import { contributionTexts } from './texts.ts';
import type { Players } from './use-players.ts';

const texts = contributionTexts.noTranscript;

/** Where nothing was transcribed: where to find what was said, or that nobody has it. */
export function NoTranscript({
  contribution,
  players,
}: Readonly<{ contribution: DeskContribution; players: Players }>): ReactNode {
  const instead = insteadOfTranscript(contribution);
  const path = 'path' in instead ? instead.path : undefined;
  const playable = players.recordings.some((one) => one.path === path);
  const Icon = instead.kind === 'recording' ? AudioLines : FileX2;
  return (
    <EmptyState
      icon={<Icon aria-hidden className="size-8" />}
      title={texts.title}
      action={
        path === undefined || !playable ? undefined : (
          <Button
            variant="secondary"
            icon={<Play aria-hidden className="size-4.5" />}
            onClick={() => players.jump({ path, seconds: 0 })}
          >
            {texts.listen}
          </Button>
        )
      }
    >
      <p>{texts[instead.kind]}</p>
      {!contribution.finished && <p className="mt-2">{texts.open}</p>}
    </EmptyState>
  );
}
