import { clsx } from 'clsx';
import { type ReactNode, type Ref, useImperativeHandle, useRef } from 'react';
import { type Channel, countCharacters, listHashtags, splitGraphemes } from '#contract/channels.ts';
import type { SentenceEvidence } from '#contract/evidence/index.ts';
import { CONTROL_CLASS, useFieldAttributes } from '#web/ui/field.tsx';
import { formatNumber } from '#web/ui/format.ts';
import { postTexts } from './texts.ts';
import type { DraftContent } from './use-post-draft.ts';

type Mark = Readonly<{ start: number; end: number; look: 'active' | 'sentence' | 'fact' }>;

export type MarkedTextAreaHandle = Readonly<{ select: (start: number, end: number) => void }>;

type MarkedTextAreaProps = Readonly<{
  value: string;
  onChange: (text: string) => void;
  readOnly: boolean;
  maxLength: number;
  sentences: readonly SentenceEvidence[];
  active: SentenceEvidence | undefined;
  /** Where the cursor stands. */
  onPlace: (place: number) => void;
  handle: Ref<MarkedTextAreaHandle>;
}>;

/** A field whose unsupported parts are underlined: the marks lie below a transparent field, in the same letters. */
export function MarkedTextArea(props: MarkedTextAreaProps): ReactNode {
  const { value, onChange, readOnly, maxLength, sentences, active, onPlace, handle } = props;
  const field = useRef<HTMLTextAreaElement>(null);
  useImperativeHandle(handle, () => ({
    select: (start, end) => {
      field.current?.focus();
      field.current?.setSelectionRange(start, end);
      onPlace(start);
    },
  }));
  const letters = clsx(CONTROL_CLASS, 'min-h-64 leading-relaxed whitespace-pre-wrap [overflow-wrap:anywhere]');
  return (
    <div className="relative grid *:[grid-area:1/1]">
      <div aria-hidden className={clsx(letters, 'border-transparent! bg-surface! text-transparent select-none')}>
        {splitAtMarks(value, listMarks(sentences, active)).map(({ text, looks }, at) => (
          <span key={at} className={clsx(looks.map((look) => LOOKS[look]))}>
            {text}
          </span>
        ))}
        {/* A line break at the end makes no line of its own. */}
        {'\n\u200B'}
      </div>
      <textarea
        ref={field}
        {...useFieldAttributes()}
        value={value}
        readOnly={readOnly}
        maxLength={maxLength}
        lang="de"
        spellCheck
        onChange={(event) => onChange(event.currentTarget.value)}
        onSelect={(event) => onPlace(event.currentTarget.selectionStart)}
        className={clsx(
          letters,
          'h-full resize-none overflow-hidden bg-transparent! forced-color-adjust-none forced-colors:text-[CanvasText]',
        )}
      />
    </div>
  );
}

const LOOKS: Readonly<Record<Mark['look'], string>> = {
  active: 'rounded-sm bg-accent-wash',
  sentence: 'underline decoration-line-strong decoration-dotted decoration-2 underline-offset-4',
  fact: 'underline decoration-record decoration-wavy decoration-2 underline-offset-4',
};

function listMarks(sentences: readonly SentenceEvidence[], active: SentenceEvidence | undefined): readonly Mark[] {
  const unsupported = sentences.flatMap(({ start, end, verdict, facts }): Mark[] => {
    const missing = facts.filter(({ place }) => place === undefined);
    if (verdict === 'unsupported' && missing.length === 0) return [{ start, end, look: 'sentence' }];
    return missing.map((fact) => ({ start: fact.start, end: fact.end, look: 'fact' }));
  });
  return active === undefined
    ? unsupported
    : [{ start: active.start, end: active.end, look: 'active' }, ...unsupported];
}

type Piece = Readonly<{ text: string; looks: readonly Mark['look'][] }>;

/** Cuts a text where a mark begins or ends; each piece has the marks that cover it. */
export function splitAtMarks(text: string, marks: readonly Mark[]): readonly Piece[] {
  const cuts = [...new Set([0, ...marks.flatMap(({ start, end }) => [start, end]), text.length])]
    .filter((cut) => cut <= text.length)
    .toSorted((a, b) => a - b);
  return cuts.slice(0, -1).map((start, at) => {
    const end = cuts[at + 1] ?? text.length;
    const covering = marks.filter((mark) => mark.start <= start && end <= mark.end);
    return { text: text.slice(start, end), looks: covering.map(({ look }) => look) };
  });
}

const texts = postTexts.counter;

/** Counts a draft as its channel counts it, and says what is too much. */
export function ChannelCounters({
  channel,
  content,
}: Readonly<{ channel: Channel; content: DraftContent }>): ReactNode {
  const characters = countCharacters(channel.id, content.body);
  const hashtags = listHashtags(content.body).length;
  const pictures = content.pictures.filter(({ used }) => used).length;
  const over = characters - channel.characters;
  const { least, most } = channel.pictures;
  return (
    <ul aria-label={texts.label} className="tabular flex flex-wrap gap-x-5 gap-y-1 text-sm">
      <Count wrong={over > 0}>
        {texts.characters(characters, channel.characters)}
        {over > 0 && ` · ${texts.tooLong(over)}`}
      </Count>
      <Count wrong={channel.hashtags !== null && hashtags > channel.hashtags}>
        {texts.hashtags(hashtags, channel.hashtags)}
      </Count>
      <Count wrong={pictures > most || pictures < least}>
        {pictures < least ? texts.picturesMissing(least) : texts.pictures(pictures, most)}
      </Count>
      <span
        aria-hidden
        className="ml-auto hidden h-1.5 w-28 self-center overflow-hidden rounded-full bg-sunken sm:block"
      >
        <span
          className={clsx('block h-full rounded-full', over > 0 ? 'bg-record' : 'bg-accent')}
          style={{ width: `${Math.min(100, (characters / channel.characters) * 100)}%` }}
        />
      </span>
    </ul>
  );
}

function Count({ wrong, children }: Readonly<{ wrong: boolean; children: ReactNode }>): ReactNode {
  return <li className={wrong ? 'font-medium text-record-ink' : 'text-muted'}>{children}</li>;
}

/** The counter of a channel that this version does not know. */
export function PlainCounter({ body }: Readonly<{ body: string }>): ReactNode {
  return <p className="tabular text-sm text-muted">{formatNumber(splitGraphemes(body).length)}</p>;
}
