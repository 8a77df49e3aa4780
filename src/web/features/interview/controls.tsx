import { type FormEvent, type KeyboardEvent, type ReactNode, useState } from 'react';
import { VOICE_TEXT_MAX } from '#contract/limits.ts';
import { InputPicker } from '#web/speech/microphone.tsx';
import { Button, IconButton } from '#web/ui/button.tsx';
import { CONTROL_CLASS, Field } from '#web/ui/field.tsx';
import { TextArea } from '#web/ui/text-area.tsx';
import { Mic, MicOff, SendHorizontal, SlidersHorizontal, Volume2 } from '#web/ui/screen-icons.ts';
import { useFocusOnArrival } from '#web/ui/use-focus.ts';
import { texts } from './texts.ts';
import type { InterviewHandle } from './use-interview.ts';

type ControlsProps = Readonly<{
  handle: InterviewHandle;
  settings: Readonly<{ id: string; open: boolean; toggle: () => void }>;
}>;

/** The controls of the running conversation; seldom used ones open on demand. */
export function Controls({ handle, settings }: ControlsProps): ReactNode {
  const { interview, microphoneOpen, speaks, muted } = handle;
  if (!microphoneOpen && !speaks) return null;
  return (
    <div className="flex flex-wrap items-center sm:gap-1">
      {microphoneOpen && (
        <Button
          variant="secondary"
          aria-label={muted ? texts.unmute : texts.mute}
          icon={muted ? Mic : MicOff}
          iconClass={muted ? 'size-5 max-sm:hidden' : 'size-5'}
          onClick={() => interview.mute(!muted)}
        >
          {muted ? texts.unmuteShort : texts.muteShort}
        </Button>
      )}
      <Button
        variant="quiet"
        aria-expanded={settings.open}
        aria-controls={settings.id}
        icon={SlidersHorizontal}
        onClick={settings.toggle}
      >
        <span className="max-sm:sr-only">{texts.sound}</span>
      </Button>
    </div>
  );
}

export function SoundSettings({ handle }: Readonly<{ handle: InterviewHandle }>): ReactNode {
  const { interview, microphoneOpen, speaks, volume, inputs, inputId } = handle;
  return (
    <div className="grid items-end gap-4 rounded-control border border-line p-4 sm:grid-cols-2">
      {speaks && <Volume value={volume} onChange={(value) => interview.setVolume(value)} />}
      {microphoneOpen && (
        <InputPicker
          inputs={inputs}
          inputId={inputId}
          chooseInput={(id) => void interview.chooseInput(id)}
          disabled={false}
        />
      )}
    </div>
  );
}

function Volume({ value, onChange }: Readonly<{ value: number; onChange: (value: number) => void }>): ReactNode {
  return (
    <span className="flex items-center gap-3">
      <Volume2 className="size-5 shrink-0 text-muted" />
      <input
        type="range"
        aria-label={texts.volume}
        className="touch min-w-0 flex-1"
        min={0}
        max={100}
        step={5}
        value={Math.round(value * 100)}
        onChange={(event) => onChange(Number(event.target.value) / 100)}
      />
    </span>
  );
}

/** For typed answers. Without a line it shows the one that has not arrived, which can be changed. */
export function AnswerField({ handle }: Readonly<{ handle: InterviewHandle }>): ReactNode {
  const { conversation, interview, answers } = handle;
  const { status } = conversation;
  const [changed, setChanged] = useState(false);
  if (status === 'connected') return <WriteAnswer handle={handle} />;
  if ((status !== 'error' && status !== 'connecting') || (answers.text === '' && !changed)) return null;
  return (
    <Field label={texts.unsent.label} hint={texts.unsent.hint}>
      <TextArea
        rows={2}
        className="min-h-20!"
        maxLength={VOICE_TEXT_MAX}
        value={answers.text}
        onChange={(event) => {
          setChanged(true);
          interview.write(event.target.value);
        }}
      />
    </Field>
  );
}

/** Enter sends, Shift and Enter adds a line. */
function WriteAnswer({ handle: { interview, answers } }: Readonly<{ handle: InterviewHandle }>): ReactNode {
  const { text } = answers;
  // Level, time and state stay in sight; the field comes into it with the first key.
  const field = useFocusOnArrival<HTMLTextAreaElement>(true);
  const send = (): void => interview.say(text);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    send();
  };
  const press = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    send();
  };
  return (
    <form className="flex items-end gap-1" onSubmit={submit}>
      <textarea
        ref={field}
        aria-label={texts.write.label}
        placeholder={texts.write.placeholder}
        rows={1}
        className={`${CONTROL_CLASS} touch field-sizing-content max-h-40 resize-none`}
        maxLength={VOICE_TEXT_MAX}
        value={text}
        onChange={(event) => interview.write(event.target.value)}
        onKeyDown={press}
      />
      <IconButton type="submit" label={texts.write.send} disabled={text.trim() === ''} icon={SendHorizontal} />
    </form>
  );
}
