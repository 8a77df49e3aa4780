import { clsx } from 'clsx';
import { useEffect, useState, type ReactNode, type RefObject } from 'react';
import { X } from '#web/ui/icons.tsx';
import { Search } from '#web/ui/screen-icons.ts';
import { TextInput } from '#web/ui/text-input.tsx';
import { filterTexts as texts } from './texts.ts';

/** Pause after the last key before the search starts. */
const PAUSE_MS = 300;

type SearchFieldProps = Readonly<{
  value: string;
  onSearch: (text: string) => void;
  /** The key '/' focuses this field. */
  field: RefObject<HTMLInputElement | null>;
}>;

export function SearchField({ value, onSearch, field }: SearchFieldProps): ReactNode {
  const [text, setText] = useState(value);
  const [known, setKnown] = useState(value);
  // A new address ('back', a removed filter) replaces the text that is being typed.
  if (value !== known) {
    setKnown(value);
    if (value !== text.trim()) setText(value);
  }
  useEffect(() => {
    if (text.trim() === value) return undefined;
    const timer = setTimeout(() => onSearch(text.trim()), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text, value, onSearch]);
  return (
    <search className="relative block">
      <Search
        aria-hidden
        className="pointer-events-none absolute top-1/2 left-3.5 size-5 -translate-y-1/2 text-muted"
      />
      <TextInput
        ref={field}
        type="search"
        aria-label={texts.search}
        placeholder={texts.search}
        autoComplete="off"
        spellCheck={false}
        enterKeyHint="search"
        maxLength={200}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') onSearch(text.trim());
        }}
        className="pr-12 pl-11 [&::-webkit-search-cancel-button]:hidden"
      />
      {text !== '' && (
        <button
          type="button"
          aria-label={texts.clearSearch}
          title={texts.clearSearch}
          onClick={() => {
            setText('');
            onSearch('');
            field.current?.focus();
          }}
          className={clsx(
            'touch absolute inset-y-0 right-0 inline-flex items-center justify-center rounded-control text-muted',
            'hover:text-ink',
          )}
        >
          <X aria-hidden className="size-5" />
        </button>
      )}
    </search>
  );
}
