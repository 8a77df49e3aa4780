import { Download, RotateCcw } from '#web/ui/screen-icons.ts';
import type { ReactNode } from 'react';
import { downloadBlob } from '#web/submission/files.ts';
import { Button } from '#web/ui/button.tsx';
import { Player } from '#web/ui/player/player.tsx';
import { useFocusOnArrival } from '#web/ui/use-focus.ts';
import type { Recording } from './recording/state.ts';
import { texts } from './texts.ts';

export type PlaybackProps = Readonly<{ recording: Recording; disabled: boolean; onReset: () => void }>;

/** Listen, download, record again. */
export function Playback({ recording, disabled, onReset }: PlaybackProps): ReactNode {
  const play = useFocusOnArrival<HTMLButtonElement>();
  return (
    <div className="flex flex-col gap-4">
      <Player kind="audio" src={recording.blob} name={texts.position} size={recording.blob.size} playRef={play} />
      <div className="flex flex-wrap justify-center gap-2 max-sm:[&>*]:grow">
        <Button
          variant="secondary"
          disabled={disabled}
          icon={<RotateCcw aria-hidden className="size-5" />}
          onClick={onReset}
        >
          {texts.reset}
        </Button>
        <Button
          variant="quiet"
          icon={<Download aria-hidden className="size-5" />}
          onClick={() => downloadBlob(recording.blob, `sprachnachricht.${recording.extension}`)}
        >
          {texts.download}
        </Button>
      </div>
    </div>
  );
}
