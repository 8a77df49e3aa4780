import type { ReactNode } from 'react';
import type { DeskContribution } from '#contract/desk.ts';
import { minutesAndSeconds } from '#web/ui/timer.tsx';
import { JumpButton } from './jump-button.tsx';
import { NoTranscript } from './no-transcript.tsx';
import { spokenPieces } from './spoken-pieces.ts';
import { timecodesIn } from './timecodes.ts';
import type { Players } from './use-players.ts';
import { useSpoken } from './use-spoken.ts';

type TranscriptProps = Readonly<{ contribution: DeskContribution; players: Players }>;

/** As text, whatever stands in it; each sentence whose time is known begins with the way to hear it. */
export function TranscriptText({ contribution, players }: TranscriptProps): ReactNode {
  const { id, transcript } = contribution;
  const spoken = useSpoken(id, players);
  if (transcript === null || transcript.trim() === '') {
    return <NoTranscript contribution={contribution} players={players} />;
  }
  const path = spoken?.path ?? players.recordings[0]?.path;
  const pieces = spoken === undefined ? timecodesIn(transcript) : spokenPieces(transcript, spoken.segments);
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
