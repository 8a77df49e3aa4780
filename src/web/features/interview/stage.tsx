import { clsx } from 'clsx';
import { AudioLines, Headphones, Keyboard, Mic, MicOff } from 'lucide-react';
import { useCallback, useEffect, useId, useRef, useState, type ReactNode } from 'react';
import { Button } from '#web/ui/button.tsx';
import { LevelMeter } from '#web/ui/level-meter.tsx';
import { ProgressBar } from '#web/ui/progress-bar.tsx';
import { Timer } from '#web/ui/timer.tsx';
import { Controls, SoundSettings } from './controls.tsx';
import { sceneOf, type Scene } from './scene.ts';
import { mainButton } from './talk/state.ts';
import { texts } from './texts.ts';
import { useLevel, useSeconds } from './use-clock.ts';
import type { InterviewHandle } from './use-interview.ts';

type StageProps = Readonly<{ handle: InterviewHandle; topic: string | undefined }>;

/**
 * The level is the centre; beside it the state in words, and what can be done now. On phones it moves aside once the
 * conversation runs, so that ring, words and keyboard fit one screen.
 */
export function Stage({ handle, topic }: StageProps): ReactNode {
  const scene = sceneOf(handle);
  const row = handle.talk.status === 'connected';
  const section = useRef<HTMLElement>(null);
  useEffect(() => {
    if (row) section.current?.scrollIntoView({ block: 'start', behavior: 'smooth' });
  }, [row]);
  const [open, setOpen] = useState(false);
  const settings = { id: useId(), open: open && row, toggle: () => setOpen(!open) };
  return (
    <section ref={section} className="flex flex-col gap-4">
      <div className={clsx('flex items-center gap-4 sm:flex-row sm:gap-8', !row && 'flex-col')}>
        <Ring handle={handle} scene={scene} topic={topic} />
        <div
          className={clsx(
            'flex w-full min-w-0 flex-1 flex-col gap-3 sm:items-start sm:text-left',
            !row && 'items-center text-center',
          )}
        >
          <div className="flex flex-col gap-1">
            <p aria-live="polite" className={clsx('font-semibold sm:text-xl', row ? 'text-lg' : 'text-xl')}>
              {texts.state[scene]}
            </p>
            <p className={clsx('max-w-measure text-muted', row && 'max-sm:text-sm')}>{hintOf(scene, handle)}</p>
          </div>
          <Progress handle={handle} />
          {row ? <Controls handle={handle} settings={settings} /> : <Actions handle={handle} />}
        </div>
      </div>
      <div id={settings.id} hidden={!settings.open}>
        {settings.open && <SoundSettings handle={handle} />}
      </div>
    </section>
  );
}

/** What can be done besides the main button. */
function Actions({ handle }: Readonly<{ handle: InterviewHandle }>): ReactNode {
  const { interview, talk } = handle;
  switch (talk.status) {
    case 'idle':
    case 'preparing':
      return (
        <Button
          variant="quiet"
          icon={<Keyboard aria-hidden className="size-5" />}
          disabled={talk.status === 'preparing'}
          onClick={() => void interview.start('typing')}
        >
          {texts.typing}
        </Button>
      );
    case 'connecting':
      return (
        <Button variant="quiet" onClick={() => interview.end()}>
          {texts.cancel}
        </Button>
      );
    case 'ended':
      return (
        <Button variant="secondary" onClick={() => void interview.start('voice')}>
          {mainButton(talk).label}
        </Button>
      );
    default:
      return null;
  }
}

/** §4: creeps to 90, jumps to 100 on connect, and is gone a moment later. */
function Progress({ handle: { talk } }: Readonly<{ handle: InterviewHandle }>): ReactNode {
  if (talk.status !== 'connecting' && talk.status !== 'connected') return null;
  const over = talk.status === 'connected';
  return (
    <div
      aria-hidden={over}
      className={clsx(
        'w-full sm:max-w-80',
        over && '-my-2 h-1 opacity-0 transition-opacity delay-500 duration-300 motion-reduce:hidden',
      )}
    >
      <ProgressBar label={texts.progress} percent={talk.progress} visibleLabel={false} />
    </div>
  );
}

function Ring({ handle, scene, topic }: StageProps & Readonly<{ scene: Scene }>): ReactNode {
  const { interview, talk, before, since, agentSpeaks, listens } = handle;
  const connected = talk.status === 'connected';
  const read = useCallback(() => loudness(interview.levels()), [interview]);
  const level = useLevel(connected && (listens || agentSpeaks), read);
  const seconds = useSeconds(before, since);
  const still = talk.status === 'idle' || talk.status === 'preparing';
  return (
    <div className={clsx('-my-3 shrink-0 sm:-my-5 sm:w-56', connected ? '-ml-3 w-36' : still ? 'w-56' : 'w-44')}>
      <LevelMeter level={level} state={connected && scene !== 'muted' ? 'active' : 'idle'} tone="accent">
        <SceneIcon scene={scene} />
        {still ? (
          topic !== undefined && <p className="mt-2 max-w-28 text-center text-sm font-medium text-balance">{topic}</p>
        ) : (
          <Timer
            seconds={seconds}
            label={texts.timer}
            className={clsx('mt-0.5 sm:text-2xl', connected ? 'text-base' : 'text-xl')}
          />
        )}
      </LevelMeter>
    </div>
  );
}

/** The ring answers whoever speaks. A voice seldom fills the scale: it is stretched a little. */
function loudness({ input, output }: Readonly<{ input: number; output: number }>): number {
  return Math.min(1, 1.4 * Math.max(input, output));
}

function SceneIcon({ scene }: Readonly<{ scene: Scene }>): ReactNode {
  const look = 'size-6 sm:size-7';
  if (scene === 'listening') return <Mic aria-hidden className={`${look} text-accent-ink`} />;
  if (scene === 'speaking') return <AudioLines aria-hidden className={`${look} text-accent-ink`} />;
  if (scene === 'muted') return <MicOff aria-hidden className={`${look} text-record-ink`} />;
  if (scene === 'writing') return <Keyboard aria-hidden className={`${look} text-accent-ink`} />;
  return <Headphones aria-hidden className={`${look} text-muted`} />;
}

/** Whoever is deaf while the interviewer speaks cannot be interrupted by voice. */
function hintOf(scene: Scene, { listens }: InterviewHandle): string {
  if (scene === 'preparing') return texts.hint.idle;
  if (scene === 'speaking' && !listens) return texts.hint.speakingDeaf;
  return texts.hint[scene];
}
