import {
  CONTRIBUTION_KINDS,
  DESK_SORTS,
  DESK_STATES,
  type ContributionKind,
  type DeskQuery,
  type DeskSort,
  type DeskState,
} from '#contract/desk.ts';

/** The chosen filters, without the paging of a request. */
export type DeskFilter = Omit<DeskQuery, 'after' | 'limit'>;

export const INBOX_PATH = '/admin/eingang';
export const BOARD_PATH = `${INBOX_PATH}/tafel`;
export const PEOPLE_PATH = `${INBOX_PATH}/datenschutz`;

const NAMES = {
  search: 'suche',
  areas: 'bereich',
  kinds: 'art',
  states: 'status',
  finished: 'kontakt',
  assignee: 'bearbeitung',
  from: 'von',
  until: 'bis',
  sort: 'sortierung',
} as const;

const COLUMN = 'spalte';

const STATE_WORDS: Readonly<Record<DeskState, string>> = {
  new: 'neu',
  in_progress: 'in-arbeit',
  for_review: 'zur-freigabe',
  published: 'veroeffentlicht',
  rejected: 'abgelehnt',
};
const KIND_WORDS: Readonly<Record<ContributionKind, string>> = {
  interview: 'interview',
  voice_message: 'sprachnachricht',
  video: 'video',
  image: 'bild',
  document: 'dokument',
  contributor: 'medien-upload',
};
const SORT_WORDS: Readonly<Record<DeskSort, string>> = {
  newest: 'neueste',
  oldest: 'aelteste',
  changed: 'geaendert',
  contributor: 'name',
};
const FINISHED_WORDS = { yes: 'vollstaendig', no: 'fehlt' } as const;
/** Value for contributions without an assignee. */
const NOBODY = 'niemand';
const MAX_SEARCH = 200;
/** What a copied word brings along: soft hyphens, zero widths and marks of the writing direction, no joiners. */
const UNSEEN = /[\u00AD\u200B\u200E\u200F\u202A-\u202E\u2060-\u2069\uFEFF]/g;
/** As phones and word processors type a quotation mark. */
const QUOTES = /[\u00AB\u00BB\u201C-\u201F]/g;
const DAY = /^\d{4}-\d{2}-\d{2}$/;
const ACCOUNT = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const AREA = /^[a-z0-9_-]{1,60}$/;

/** Parses an address and ignores invalid parts, because people type, cut and share addresses. */
export function parseFilter(search: string): DeskFilter {
  const given = new URLSearchParams(search);
  const typed = (given.get(NAMES.search) ?? '').replaceAll(UNSEEN, '').replaceAll(QUOTES, '"');
  const text = typed.slice(0, MAX_SEARCH).trim();
  const areas = readList(given, NAMES.areas).filter((area) => AREA.test(area));
  const states = readKeys(STATE_WORDS, DESK_STATES, readList(given, NAMES.states));
  const kinds = readKeys(KIND_WORDS, CONTRIBUTION_KINDS, readList(given, NAMES.kinds));
  const [sort] = readKeys(SORT_WORDS, DESK_SORTS, readList(given, NAMES.sort));
  const finished = readFinished(given.get(NAMES.finished));
  const assignee = readAssignee(given.get(NAMES.assignee));
  const from = readDay(given.get(NAMES.from));
  const until = readDay(given.get(NAMES.until));
  return {
    ...(text !== '' && { search: text }),
    ...(areas.length > 0 && { areas }),
    ...(kinds.length > 0 && { kinds }),
    ...(states.length > 0 && { states }),
    ...(finished !== undefined && { finished }),
    ...(assignee !== undefined && { assignee }),
    ...(from !== undefined && { from }),
    ...(until !== undefined && { until }),
    ...(sort !== undefined && sort !== 'newest' && { sort }),
  };
}

/** Formats a filter as `?…` or ''. Equal filters give equal texts. */
export function formatFilter(filter: DeskFilter): string {
  const { search, areas = [], kinds = [], states = [], finished, assignee, from, until, sort } = filter;
  const parts: (readonly [string, string | undefined])[] = [
    [NAMES.search, search],
    [NAMES.areas, areas.join(',')],
    [NAMES.kinds, writeKeys(KIND_WORDS, CONTRIBUTION_KINDS, kinds)],
    [NAMES.states, writeKeys(STATE_WORDS, DESK_STATES, states)],
    [NAMES.finished, finished === undefined ? '' : FINISHED_WORDS[finished ? 'yes' : 'no']],
    [NAMES.assignee, assignee === 'none' ? NOBODY : assignee],
    [NAMES.from, from],
    [NAMES.until, until],
    [NAMES.sort, sort === undefined || sort === 'newest' ? '' : SORT_WORDS[sort]],
  ];
  const given = parts.flatMap(([name, value]) =>
    value === undefined || value === '' ? [] : [`${name}=${encodeReadably(value)}`],
  );
  return given.length === 0 ? '' : `?${given.join('&')}`;
}

/** Links a contribution with the filter of its list, so that previous and next follow that list. */
export function contributionHref(id: number, filter: DeskFilter, view: ContributionViewName = 'material'): string {
  const search = formatFilter(filter);
  const shown = view === 'material' ? '' : `${search === '' ? '?' : '&'}${VIEW}=${view}`;
  return `${INBOX_PATH}/${id}${search}${shown}`;
}

const VIEW = 'ansicht';
export type ContributionViewName = 'material' | 'posts';

/** The view of a contribution that an address names. */
export function parseView(address: string): ContributionViewName {
  return new URLSearchParams(address).get(VIEW) === 'posts' ? 'posts' : 'material';
}

/** Keeps commas and spaces readable in the address. */
function encodeReadably(value: string): string {
  return encodeURIComponent(value.toWellFormed()).replaceAll('%2C', ',').replaceAll('%20', '+');
}

/** Links the board with this column in front on a phone. */
export function boardHref(filter: DeskFilter, column: DeskState): string {
  const search = formatFilter(filter);
  return `${BOARD_PATH}${search === '' ? '?' : `${search}&`}${COLUMN}=${STATE_WORDS[column]}`;
}

/** The column that an address puts in front. */
export function parseColumn(address: string): DeskState | undefined {
  return readKeys(STATE_WORDS, DESK_STATES, readList(new URLSearchParams(address), COLUMN))[0];
}

const CONTENT_ID = /^(?:(?:content-?id|beitrag)[\s:]*)?#?([1-9]\d{0,14})$/i;

/** The Content-ID that a search consists of, as people write it: '17', '#17', 'Content-ID: 17', 'Beitrag 17'. */
export function parseContentId(search: string): number | undefined {
  const [, digits] = CONTENT_ID.exec(search.trim()) ?? [];
  return digits === undefined ? undefined : Number(digits);
}

function readList(given: URLSearchParams, name: string): readonly string[] {
  const words = (given.get(name) ?? '').split(',').filter((word) => word !== '');
  return [...new Set(words)];
}

function readKeys<K extends string>(
  words: Readonly<Record<K, string>>,
  keys: readonly K[],
  given: readonly string[],
): readonly K[] {
  return keys.filter((key) => given.includes(words[key]));
}

function writeKeys<K extends string>(words: Readonly<Record<K, string>>, keys: readonly K[], chosen: readonly K[]) {
  const written = keys.filter((key) => chosen.includes(key));
  return written.map((key) => words[key]).join(',');
}

function readFinished(word: string | null): boolean | undefined {
  if (word === FINISHED_WORDS.yes) return true;
  return word === FINISHED_WORDS.no ? false : undefined;
}

function readAssignee(word: string | null): string | undefined {
  if (word === NOBODY) return 'none';
  return word !== null && ACCOUNT.test(word) ? word : undefined;
}

function readDay(word: string | null): string | undefined {
  if (word === null || !DAY.test(word)) return undefined;
  const time = Date.parse(`${word}T00:00:00Z`);
  return Number.isNaN(time) || new Date(time).toISOString().slice(0, 10) !== word ? undefined : word;
}
