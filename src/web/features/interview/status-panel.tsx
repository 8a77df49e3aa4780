import { clsx } from 'clsx';
import { type ReactNode, type RefObject, useCallback, useEffect, useId, useRef, useState } from 'react';
import { Button } from '#web/ui/button.tsx';
import { LevelMeter } from '#web/ui/level-meter.tsx';
import { ProgressBar } from '#web/ui/progress-bar.tsx';
import { AudioLines, Headphones, Keyboard, Mic, MicOff } from '#web/ui/screen-icons.ts';
import { Timer } from '#web/ui/timer.tsx';
import { Controls, SoundSettings } from './controls.tsx';
import { getMainButton, type InterviewSnapshot } from './conversation/state.ts';
import { texts } from './texts.ts';
import { type InterviewHandle, useSeconds } from './use-interview.ts';

type StatusPanelProps = Readonly<{
  handle: InterviewHandle;
  topic: string | undefined;
  /** The button that begins an ended interview again. */
  again?: RefObject<HTMLButtonElement | null> | undefined;
}>;

/**
 * Shows level, state and actions. On phones the level moves aside during a conversation, so that ring, words and
 * keyboard fit one screen.
 */
export function StatusPanel({ handle, topic, again }: StatusPanelProps): ReactNode {
  const state = getDisplayState(handle);
  const row = handle.conversation.status === 'connected';
  const section = useRef<HTMLElement>(null);
  useEffect(() => {
    if (row) section.current?.scrollIntoView({ block: 'start', behavior: 'smooth' });
  }, [row]);
  const [open, setOpen] = useState(false);
  const settings = { id: useId(), open: open && row, toggle: () => setOpen(!open) };
  return (
    <section ref={section} className="flex flex-col gap-4">
      <div className={clsx('flex items-center gap-4 sm:flex-row sm:gap-8', row ? 'flex-wrap' : 'flex-col')}>
        <Ring handle={handle} state={state} topic={topic} />
        <div
          className={clsx(
            'flex w-full min-w-0 flex-1 flex-col gap-3 sm:items-start sm:text-left',
            row ? 'basis-32' : 'items-center text-center',
          )}
        >
          <div className="flex flex-col gap-1">
            <p aria-live="polite" className={clsx('font-semibold sm:text-xl', row ? 'text-lg' : 'text-xl')}>
              {texts.state[state]}
            </p>
            <p className={clsx('max-w-measure text-muted', row && 'max-sm:text-sm low:sr-only')}>
              {getHint(state, handle)}
            </p>
          </div>
          <Progress handle={handle} />
          {row ? <Controls handle={handle} settings={settings} /> : <Actions handle={handle} again={again} />}
        </div>
      </div>
      <div id={settings.id} hidden={!settings.open}>
        {settings.open && <SoundSettings handle={handle} />}
      </div>
    </section>
  );
}

/** The actions besides the main button. */
function Actions({ handle, again }: Pick<StatusPanelProps, 'handle' | 'again'>): ReactNode {
  const { interview, conversation } = handle;
  switch (conversation.status) {
    case 'idle':
    case 'preparing':
      return (
        <Button
          variant="quiet"
          icon={Keyboard}
          disabled={conversation.status === 'preparing'}
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
        <Button ref={again} variant="secondary" onClick={() => void interview.start('voice')}>
          {getMainButton(conversation).label}
        </Button>
      );
    default:
      return null;
  }
}

/** Rises to 90, jumps to 100 on connect and vanishes (§4). */
function Progress({ handle: { conversation } }: Readonly<{ handle: InterviewHandle }>): ReactNode {
  if (conversation.status !== 'connecting' && conversation.status !== 'connected') return null;
  const over = conversation.status === 'connected';
  return (
    <div
      aria-hidden={over}
      className={clsx(
        'w-full sm:max-w-80',
        over &&
          '-my-2 h-1 opacity-0 transition-opacity delay-(--motion-leave) duration-(--motion-leave) motion-reduce:hidden',
      )}
    >
      <ProgressBar label={texts.progress} percent={conversation.progress} visibleLabel={false} />
    </div>
  );
}

function Ring({ handle, state, topic }: StatusPanelProps & Readonly<{ state: DisplayState }>): ReactNode {
  const { interview, conversation, before, since, agentSpeaks, microphoneOpen } = handle;
  const connected = conversation.status === 'connected';
  const audible = connected && (microphoneOpen || agentSpeaks);
  const read = useCallback(() => (audible ? getLoudness(interview.levels()) : 0), [interview, audible]);
  const seconds = useSeconds(before, since);
  const still = conversation.status === 'idle' || conversation.status === 'preparing';
  const untimed = still || (conversation.status === 'ended' && seconds === 0);
  return (
    <div
      className={clsx('-my-3 max-w-full shrink-0 sm:-my-5 sm:w-56', connected ? '-ml-3 w-36' : still ? 'w-56' : 'w-44')}
    >
      <LevelMeter
        read={read}
        state={connected && state !== 'muted' && state !== 'silenced' ? 'active' : 'idle'}
        tone="accent"
      >
        <StateIcon state={state} />
        {untimed ? (
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

/** The louder of both voices, amplified because a voice seldom fills the scale. */
function getLoudness({ input, output }: Readonly<{ input: number; output: number }>): number {
  return Math.min(1, 1.4 * Math.max(input, output));
}

function StateIcon({ state }: Readonly<{ state: DisplayState }>): ReactNode {
  const look = 'size-6 sm:size-7';
  if (state === 'listening') return <Mic className={`${look} text-accent-ink`} />;
  if (state === 'speaking') return <AudioLines className={`${look} text-accent-ink`} />;
  if (state === 'muted' || state === 'silenced') return <MicOff className={`${look} text-record-ink`} />;
  if (state === 'writing') return <Keyboard className={`${look} text-accent-ink`} />;
  return <Headphones className={`${look} text-muted`} />;
}

/** Without an open microphone the interviewer cannot be interrupted by voice. */
function getHint(state: DisplayState, { microphoneOpen }: InterviewHandle): string {
  if (state === 'preparing') return texts.hint.idle;
  if (state === 'speaking' && !microphoneOpen) return texts.hint.speakingDeaf;
  return texts.hint[state];
}

/** The state as it is shown by texts and icons. */
type DisplayState = keyof typeof texts.state;

type VisibleState = Pick<InterviewSnapshot, 'conversation' | 'agentSpeaks' | 'microphoneOpen' | 'muted' | 'silenced'>;

/** Shows a muted microphone even while the interviewer speaks. */
function getDisplayState({ conversation, agentSpeaks, microphoneOpen, muted, silenced }: VisibleState): DisplayState {
  if (conversation.status !== 'connected') return conversation.status;
  if (microphoneOpen && muted) return 'muted';
  if (microphoneOpen && silenced) return 'silenced';
  if (agentSpeaks) return 'speaking';
  return microphoneOpen ? 'listening' : 'writing';
}
