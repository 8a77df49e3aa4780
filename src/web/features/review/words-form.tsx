import { type ComponentType, createContext, type ReactNode, useContext, useEffect, useRef, useState } from 'react';
import { keepDraft, readDraft, type WordedAnswer } from './drafts.ts';
import type { SpokenWordsProps } from '#web/speech/browser-recognition.ts';
import { Button } from '#web/ui/button.tsx';
import { Field } from '#web/ui/field.tsx';
import { TextArea } from '#web/ui/text-area.tsx';
import { Notice } from '#web/ui/notice.tsx';
import { texts } from './texts.ts';

type WordsFormProps = Readonly<{
  about: WordedAnswer;
  post: number;
  /** Of the post, when the words were begun. */
  version: number;
  busy: boolean;
  /** `readComment` returns what the field holds at the time. */
  onSend: (about: WordedAnswer, readComment: () => string) => Promise<void>;
  onCancel: () => void;
}>;

/** From here on the form says how many characters are left. */
const FEW = 500;

/** Words to an answer; a no is confirmed with them. Every letter is kept on the device until it has arrived. */
export function WordsForm({ about, post, version, busy, onSend, onCancel }: WordsFormProps): ReactNode {
  const own = texts.forms[about];
  const [kept] = useState(() => readDraft(post));
  const [text, setText] = useState(kept?.text ?? '');
  const [speaking, setSpeaking] = useState(kept?.speaking === true);
  const [transcribing, setTranscribing] = useState(false);
  const [missing, setMissing] = useState(false);
  const area = useRef<HTMLTextAreaElement>(null);
  // What stands in the field now: spoken words come long after the press that asked for them.
  const latest = useRef(text);
  // One that the last visit left open does not take the focus from the top of the page.
  useEffect(() => {
    if (kept === undefined) area.current?.focus();
  }, [kept]);
  const keep = (words: string, recording: boolean): void => {
    latest.current = words;
    setText(words);
    setSpeaking(recording);
    setMissing(false);
    keepDraft(post, { about, text: words, speaking: recording, version });
  };
  const addSpoken = (spoken: string): string => {
    const added = append(latest.current, spoken);
    keep(added.text, added.rest !== '');
    area.current?.focus();
    return added.rest;
  };
  const send = (): void => {
    if (about === 'change' && text.trim() === '') {
      setMissing(true);
      area.current?.focus();
    } else void onSend(about, () => latest.current.trim());
  };
  const left = texts.limit - text.length;
  return (
    <form
      noValidate
      className="animate-rise flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <div>
        <h3 className="font-semibold">{own.title}</h3>
        <p className="text-muted">{own.text}</p>
      </div>
      <Field
        label={own.label}
        required={about === 'change'}
        {...(missing ? { error: own.missing } : {})}
        hint={left < FEW ? texts.left(left) : text === '' ? undefined : texts.kept}
      >
        <TextArea
          ref={area}
          value={text}
          maxLength={texts.limit}
          rows={4}
          readOnly={busy}
          onChange={(event) => keep(event.target.value, speaking)}
        />
      </Field>
      {about === 'change' && (
        <Speak
          post={post}
          open={speaking}
          onOpen={(open) => keep(text, open)}
          onText={addSpoken}
          onBusy={setTranscribing}
        />
      )}
      <div className="flex flex-col gap-2 sm:flex-row-reverse sm:justify-end">
        <Button
          type="submit"
          variant={about === 'change' ? 'primary' : 'danger'}
          busy={busy}
          idle={transcribing}
          busyLabel={texts.sending}
        >
          {own.send}
        </Button>
        <Button variant="secondary" disabled={busy} onClick={onCancel}>
          {texts.back}
        </Button>
      </div>
    </form>
  );
}

/** Adds a line of as many whole words as the limit allows; `rest` are the others. */
function append(text: string, spoken: string): Readonly<{ text: string; rest: string }> {
  const before = text.trimEnd();
  const all = `${before}\n${spoken}`.trim();
  if (all.length <= texts.limit) return { text: all, rest: '' };
  const end = all.slice(0, texts.limit + 1).search(/\s\S*$/);
  if (end <= before.length) return { text, rest: spoken };
  return { text: all.slice(0, end).trimEnd(), rest: all.slice(end).trim() };
}

type SpeakingProps = Readonly<{
  post: number;
  open: boolean;
  onOpen: (open: boolean) => void;
  onText: SpokenWordsProps['onText'];
  onBusy: SpokenWordsProps['onBusy'];
}>;

/** Offers to speak instead of typing, and fetches the recorder for it. */
function Speak({ post, open, onOpen, ...listeners }: SpeakingProps): ReactNode {
  const speech = useContext(SpeechContext);
  const [Recorder, setRecorder] = useState<ComponentType<SpokenWordsProps> | 'failed'>();
  const load = speech?.load;
  useEffect(() => {
    if (!open || load === undefined) return undefined;
    let shown = true;
    load().then(
      (found) => void (shown && setRecorder(() => found)),
      () => void (shown && setRecorder('failed')),
    );
    return () => {
      shown = false;
    };
  }, [open, load]);
  if (speech === undefined) return null;
  if (open && Recorder === undefined) return <output className="text-muted">{texts.speak.loading}</output>;
  if (open && Recorder !== undefined && Recorder !== 'failed')
    return (
      <Recorder
        place={String(post)}
        reviewKey={speech.reviewKey}
        streams={speech.streams}
        {...listeners}
        onClose={() => onOpen(false)}
      />
    );
  return (
    <div className="flex flex-col items-start gap-3">
      {open && (
        <Notice tone="error" live>
          {texts.speak.failed}
        </Notice>
      )}
      <Button
        variant="secondary"
        onClick={() => {
          setRecorder(undefined);
          onOpen(!open);
        }}
      >
        {open ? texts.speak.write : texts.speak.open}
      </Button>
    </div>
  );
}

/** The recorder is fetched at the first press: the page is usable without it. */
export type LoadRecorder = () => Promise<ComponentType<SpokenWordsProps>>;

type Speech = Readonly<{ load: LoadRecorder; reviewKey: string; streams: boolean }>;

/** undefined where nothing transcribes: then speaking is not offered (decision 0264). */
export const SpeechContext = createContext<Speech | undefined>(undefined);
