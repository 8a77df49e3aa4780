import type { ReactNode } from 'react';
import { JumpButton } from './jump-button.tsx';
import { contributionTexts as texts } from './texts.ts';
import { timecodesIn } from './timecodes.ts';
import type { Players } from './use-players.ts';

/** As text, whatever stands in it. */
export function TranscriptText({
  transcript,
  players,
}: Readonly<{ transcript: string | null; players: Players }>): ReactNode {
  if (transcript === null || transcript.trim() === '') return <p className="text-muted">{texts.noTranscript}</p>;
  const path = players.recordings[0]?.path;
  return (
    <div className="max-w-measure leading-relaxed whitespace-pre-wrap [overflow-wrap:anywhere]">
      {timecodesIn(transcript).map(({ text, seconds }, index) =>
        seconds === undefined || path === undefined ? (
          <span key={index}>{text}</span>
        ) : (
          <JumpButton key={index} place={{ path, seconds }} label={text} onJump={players.jump} />
        ),
      )}
    </div>
  );
}
