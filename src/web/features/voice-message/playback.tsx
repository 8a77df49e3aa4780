import { Download, Pause, Play, RotateCcw } from '#web/ui/screen-icons.ts';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import { downloadBlob } from '#web/submission/files.ts';
import { Button } from '#web/ui/button.tsx';
import { ProgressBar } from '#web/ui/progress-bar.tsx';
import { minutesAndSeconds } from '#web/ui/timer.tsx';
import { useFocusOnArrival } from '#web/ui/use-focus.ts';
import type { Recording } from './recording/index.ts';
import { texts } from './texts.ts';

export type PlaybackProps = Readonly<{ recording: Recording; disabled: boolean; onReset: () => void }>;

/**
 * Listen, download, record again. The file itself carries no duration, so the position runs against the recorder's own.
 */
export function Playback({ recording, disabled, onReset }: PlaybackProps): ReactNode {
  const audio = useRef<HTMLAudioElement>(null);
  const play = useFocusOnArrival<HTMLButtonElement>();
  const [playing, setPlaying] = useState(false);
  const [position, setPosition] = useState(0);
  useEffect(() => {
    const url = URL.createObjectURL(recording.blob);
    if (audio.current !== null) audio.current.src = url;
    return () => URL.revokeObjectURL(url);
  }, [recording.blob]);
  const toggle = () => {
    if (playing) return audio.current?.pause();
    audio.current?.play().catch(() => setPlaying(false));
  };
  return (
    <div className="flex flex-col gap-4">
      {/* oxlint-disable-next-line jsx-a11y/media-has-caption -- its text is what this screen is about to make */}
      <audio
        ref={audio}
        onPlay={() => setPlaying(true)}
        onPause={() => setPlaying(false)}
        onEnded={() => setPosition(0)}
        onTimeUpdate={(event) => setPosition(event.currentTarget.currentTime)}
      />
      {(playing || position > 0) && (
        <ProgressBar
          label={`${texts.position} ${minutesAndSeconds(position)}`}
          percent={(100 * position) / Math.max(1, recording.seconds)}
        />
      )}
      <div className="flex flex-wrap justify-center gap-2 max-sm:[&>*]:grow">
        <Button
          ref={play}
          variant="secondary"
          icon={playing ? <Pause aria-hidden className="size-5" /> : <Play aria-hidden className="size-5" />}
          onClick={toggle}
        >
          {playing ? texts.halt : texts.play}
        </Button>
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
