import { AudioLines, FileX2, Play } from '#web/ui/screen-icons.ts';
import type { ReactNode } from 'react';
import type { DeskContribution } from '#contract/desk.ts';
import { Button } from '#web/ui/button.tsx';
import { EmptyState } from '#web/ui/state-screens.tsx';
import type { Players } from './player.tsx';
import { describeFiles } from './stored-files.ts';
import { contributionTexts } from './texts.ts';

const texts = contributionTexts.noTranscript;

/** Says where to find the words of a contribution without a transcript, or that they are lost. */
export function NoTranscript({
  contribution,
  players,
}: Readonly<{ contribution: DeskContribution; players: Players }>): ReactNode {
  const instead = findSubstitute(contribution);
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

/**
 * Where to find the words without a transcript. `lost`: the store no longer has the recording. `filed`: the text
 * arrived as a file only (§8).
 */
type TranscriptSubstitute =
  | Readonly<{ kind: 'recording'; path: string }>
  | Readonly<{ kind: 'filed' | 'logged' | 'lost' | 'nothing' }>;

export function findSubstitute({
  fileList,
  turns,
}: Pick<DeskContribution, 'fileList' | 'turns'>): TranscriptSubstitute {
  const files = describeFiles(fileList);
  if (files.some(({ name, presence }) => name === 'transcript' && presence === 'stored')) return { kind: 'filed' };
  const recordings = files.filter(({ use }) => use === 'audio');
  const there = recordings.findLast((one) => one.presence === 'stored');
  if (there !== undefined) return { kind: 'recording', path: there.file.path };
  if (turns.length > 0) return { kind: 'logged' };
  return { kind: recordings.length > 0 ? 'lost' : 'nothing' };
}
