import { useEffect, useState, type ReactNode } from 'react';
import type { DeskContribution } from '#contract/desk.ts';
import type { SpokenSegment } from '#contract/spoken.ts';
import { useBackend } from '#web/backend/client.ts';
import { spokenIn } from '#web/backend/media.ts';
import { minutesAndSeconds } from '#web/ui/timer.tsx';
import { NoTranscript } from './no-transcript.tsx';
import { JumpButton, type Players } from './player.tsx';
import { splitAtSegments, splitAtTimecodes } from './transcript-pieces.ts';

type TranscriptProps = Readonly<{ contribution: DeskContribution; players: Players }>;

/** Shows the transcript as plain text, with a jump button before each sentence whose time is known. */
export function TranscriptText({ contribution, players }: TranscriptProps): ReactNode {
  const { id, transcript } = contribution;
  const spoken = useSpoken(id, players);
  if (transcript === null || transcript.trim() === '') {
    return <NoTranscript contribution={contribution} players={players} />;
  }
  const path = spoken?.path ?? players.recordings[0]?.path;
  const pieces = spoken === undefined ? splitAtTimecodes(transcript) : splitAtSegments(transcript, spoken.segments);
  return (
    <div className="max-w-measure leading-relaxed whitespace-pre-wrap [overflow-wrap:anywhere]">
      {pieces.map(({ text, seconds }, index) =>
        seconds === undefined || path === undefined ? (
          <span key={index}>{text}</span>
        ) : (
          <JumpButton
            key={index}
            place={{ path, seconds }}
            label={text === '' ? minutesAndSeconds(Math.floor(seconds)) : text}
            onJump={players.jump}
          />
        ),
      )}
    </div>
  );
}

/** The recording behind the transcript and its timed segments. */
type Spoken = Readonly<{ path: string; segments: readonly SpokenSegment[] }>;

/** Loads the segments of the newest playable recording; undefined while loading and after a failure. */
function useSpoken(contribution: number, players: Players): Spoken | undefined {
  const backend = useBackend();
  const [known, setKnown] = useState<ReadonlyMap<string, readonly SpokenSegment[]>>(new Map());
  useEffect(() => {
    let current = true;
    spokenIn(backend, contribution).then(
      (found) => current && setKnown(found),
      () => undefined,
    );
    return () => {
      current = false;
    };
  }, [backend, contribution]);
  const playable = [...known].findLast(([path]) => players.recordings.some((one) => one.path === path));
  return playable === undefined ? undefined : { path: playable[0], segments: playable[1] };
}
