import { SendHorizontal } from '#web/ui/screen-icons.ts';
import { useState, type FormEvent, type KeyboardEvent, type ReactNode } from 'react';
import { IconButton } from '#web/ui/button.tsx';
import { useFocusOnArrival } from '#web/ui/use-focus.ts';
import { CONTROL_CLASS } from '#web/ui/text-input.tsx';
import { texts } from './texts.ts';

/** The field for typed answers; Enter sends, Shift and Enter adds a line. */
export function WriteAnswer({ onSend }: Readonly<{ onSend: (text: string) => void }>): ReactNode {
  const [text, setText] = useState('');
  // Level, time and state stay in sight; the field comes into it with the first key.
  const field = useFocusOnArrival<HTMLTextAreaElement>(true);
  const send = (): void => {
    if (text.trim() === '') return;
    onSend(text.trim());
    setText('');
  };
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
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={press}
      />
      <IconButton
        type="submit"
        label={texts.write.send}
        disabled={text.trim() === ''}
        icon={<SendHorizontal aria-hidden className="size-5" />}
      />
    </form>
  );
}
