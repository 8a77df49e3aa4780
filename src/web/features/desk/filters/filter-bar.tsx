import { clsx } from 'clsx';
import { useQuery } from '@tanstack/react-query';
import { type MouseEvent, type ReactNode, type RefObject, useEffect, useState } from 'react';
import type { DeskColleague } from '#contract/desk.ts';
import { formatFullDay } from '#web/ui/format.ts';
import { ArrowRight, X } from '#web/ui/icons.tsx';
import { Anchor } from '#web/ui/link.tsx';
import { Search } from '#web/ui/screen-icons.ts';
import { TextInput } from '#web/ui/form-fields.tsx';
import { contributionHref, type DeskFilter, parseContentId } from '../desk-url.ts';
import { deskTexts, filterTexts as texts } from '../texts.ts';
import { useDesk } from '../use-desk.tsx';
import { type FilterChange, toggle } from './use-filter.ts';

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
      <Search className="pointer-events-none absolute top-1/2 left-3.5 size-5 -translate-y-1/2 text-muted" />
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
          <X className="size-5" />
        </button>
      )}
    </search>
  );
}

/** Leads to the contribution whose Content-ID is searched for, whatever the filters: people name it in their mails. */
export function ContentIdLink({ search }: Readonly<{ search: string | undefined }>): ReactNode {
  const desk = useDesk();
  const id = parseContentId(search ?? '');
  const { data: exists = false } = useQuery({
    queryKey: ['desk', 'exists', id],
    queryFn: async ({ signal }) => id !== undefined && (await desk.findErased([id], signal)).length === 0,
    enabled: id !== undefined,
  });
  return (
    <output className="block">
      {exists && id !== undefined && (
        <Anchor
          href={contributionHref(id, {})}
          className={clsx(
            'touch mb-3 flex items-center justify-between gap-3 rounded-control bg-accent-wash px-4 py-2 font-medium',
            'text-accent-ink transition-colors hover:bg-accent hover:text-on-accent',
          )}
        >
          {texts.openContentId(id)}
          <ArrowRight className="size-5 shrink-0" />
        </Anchor>
      )}
    </output>
  );
}

type ChipsProps = Readonly<{
  filter: DeskFilter;
  /** Where no tabs show them. */
  states?: DeskFilter['states'];
  colleagues: readonly DeskColleague[];
  ownId: string;
  onChange: (change: FilterChange) => void;
  onClear: () => void;
}>;

type Chip = Readonly<{ name: string; without: FilterChange }>;

/** Shows each active filter with a button that removes it. */
export function Chips({ filter, states = [], colleagues, ownId, onChange, onClear }: ChipsProps): ReactNode {
  const chips = [
    ...states.map((state) => ({ name: deskTexts.states[state], without: { states: toggle(states, state) } })),
    ...listChips(filter, (id) => colleagueName(id, ownId, colleagues)),
  ];
  if (chips.length === 0) return null;
  return (
    <ul aria-label={texts.active} className="flex min-w-0 flex-wrap items-center gap-2">
      {chips.map(({ name, without }) => (
        <li key={name} className="min-w-0">
          <button
            type="button"
            aria-label={texts.remove(name)}
            onClick={(event) => (goOn(event), onChange(without))}
            className={clsx(
              'touch inline-flex max-w-full items-center gap-1.5 rounded-control border border-line bg-surface',
              'pr-2.5 pl-3 text-sm transition-colors hover:border-ink pointer-fine:min-h-9',
            )}
          >
            <span className="truncate">{name}</span>
            <X className="size-4 shrink-0 text-muted" />
          </button>
        </li>
      ))}
      <li>
        <button
          type="button"
          onClick={onClear}
          className={clsx(
            'touch rounded-control px-2.5 text-sm font-medium text-accent-ink underline decoration-current/40',
            'underline-offset-4 hover:decoration-current pointer-fine:min-h-9',
          )}
        >
          {texts.clear}
        </button>
      </li>
    </ul>
  );
}

/** Moves the focus to the next filter, or out of the list with the last one: the pressed button disappears. */
function goOn({ currentTarget }: MouseEvent): void {
  const item = currentTarget.closest('li');
  const next = item?.parentElement?.childElementCount === 2 ? undefined : item?.nextElementSibling;
  (next?.querySelector('button') ?? document.querySelector('h1'))?.focus({ preventScroll: true });
}

function listChips(filter: DeskFilter, colleague: (id: string) => string): readonly Chip[] {
  const { search, areas = [], kinds = [], finished, assignee, from, until } = filter;
  return [
    ...one(search, (text) => texts.searchedFor(text), { search: undefined }),
    ...areas.map((area) => ({ name: deskTexts.formatArea(area), without: { areas: toggle(areas, area) } })),
    ...kinds.map((kind) => ({ name: deskTexts.kinds[kind], without: { kinds: toggle(kinds, kind) } })),
    ...one(finished, (yes) => (yes ? texts.finished : texts.unfinished), { finished: undefined }),
    ...one(assignee, (id) => `${texts.assignee}: ${colleague(id)}`, { assignee: undefined }),
    ...one(from, (day) => texts.since(formatFullDay(day)), { from: undefined }),
    ...one(until, (day) => texts.upTo(formatFullDay(day)), { until: undefined }),
  ];
}

function one<T>(value: T | undefined, name: (value: T) => string, without: FilterChange): readonly Chip[] {
  return value === undefined ? [] : [{ name: name(value), without }];
}

function colleagueName(id: string, ownId: string, colleagues: readonly DeskColleague[]): string {
  if (id === 'none') return texts.nobody;
  if (id === ownId) return texts.mine;
  return colleagues.find((colleague) => colleague.id === id)?.email ?? texts.unknownColleague;
}
