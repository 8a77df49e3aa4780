import type { Role } from '#contract/roles.ts';

/** The matrix of security.md as data: what becomes of one statement of a caller against one target. */
export type Resource =
  | 'interviews'
  | 'media_uploads'
  | 'interview_turns'
  | 'feedback'
  | 'contribution_origins'
  | 'desk_audit_log'
  | 'posts'
  | 'post_versions'
  | 'review_answers'
  | 'user_roles'
  | 'buckets'
  | 'objects';
export type Verb = 'select' | 'insert' | 'update' | 'delete';

/** rows: it works · none: 0 rows, no error · refused: 42501 · '-': there is no such case. */
export type Expected = 'rows' | 'none' | 'refused' | '-';

/**
 * Whose the target is. Contributions: made by the caller, bound to the key, made by somebody else. user_roles: the own
 * row, -, somebody else's. Buckets: Media, -, another one.
 */
export const TARGETS = ['own', 'bound', 'foreign'] as const;
export type Target = (typeof TARGETS)[number];

export type CallerKind = 'anon' | 'key' | 'nobody' | 'member' | 'admin' | 'service';

/** `keyed` callers send the key. `nobody` is a login whose account has no role (D14). */
export type CallerCase = Readonly<{ name: string; kind: CallerKind; keyed: boolean; role?: Role }>;

export const CALLERS: readonly CallerCase[] = [
  { name: 'anon', kind: 'anon', keyed: false },
  { name: 'anon + key', kind: 'key', keyed: true },
  { name: 'login without role', kind: 'nobody', keyed: false },
  { name: 'firma_a + key', kind: 'member', keyed: true, role: 'firma_a' },
  { name: 'firma_b + key', kind: 'member', keyed: true, role: 'firma_b' },
  { name: 'testnormec + key', kind: 'member', keyed: true, role: 'testnormec' },
  { name: 'vdi_admin + key', kind: 'member', keyed: true, role: 'vdi_admin' },
  { name: 'admin + key', kind: 'admin', keyed: true, role: 'admin' },
  { name: 'service', kind: 'service', keyed: false },
];

type Cells = Readonly<Record<Target, Expected>>;

function cells(line: string): Cells {
  const [own, bound, foreign] = line.split(/\s+/) as [Expected, Expected, Expected];
  return { own, bound, foreign };
}

type Line = Readonly<Record<CallerKind, Cells>>;

const KINDS: readonly CallerKind[] = ['anon', 'key', 'nobody', 'member', 'admin', 'service'];

function line(...given: readonly string[]): Line {
  if (given.length !== KINDS.length) throw new Error(`a line of the matrix has ${KINDS.length} cells`);
  return Object.fromEntries(KINDS.map((kind, place) => [kind, cells(given[place] ?? '')])) as Line;
}

function same(cell: string, count: number): string[] {
  return Array.from({ length: count }, () => cell);
}

const NO = '- refused refused';
const NO_OWN = 'refused refused refused';
const READ = line('- none none', '- rows none', '- none none', 'rows rows none', 'rows rows rows', '- rows rows');
const ADD = line(NO, '- rows refused', NO, 'rows rows refused', 'rows rows refused', '- rows rows');
const CHANGE = line('- none none', '- rows none', '- none none', 'rows rows none', 'rows rows none', '- rows rows');
const NEVER = line(NO, NO, NO, NO_OWN, NO_OWN, '- rows rows');
const ATTACHED = { select: READ, insert: ADD, update: NEVER, delete: NEVER };

/** Posts that were sent for review; the interview key opens none. */
const POST_NEVER = line(NO, NO, NO, NO_OWN, NO_OWN, NO);
const POST_ROWS = {
  select: line(NO, NO, '- none none', 'rows none none', 'rows rows rows', '- rows rows'),
  insert: POST_NEVER,
  update: POST_NEVER,
  delete: POST_NEVER,
};
const LOG_NEVER = line(...same('- - refused', 6));
const ROLE_NEVER = line('- - refused', '- - refused', ...same('refused - refused', 3), '- - rows');

/**
 * Order in a line: anon · anon + key · login without role · firma_a, firma_b, testnormec, vdi_admin · admin · service.
 */
export const MATRIX: Readonly<Record<Resource, Readonly<Record<Verb, Line>>>> = {
  interviews: {
    select: READ,
    // own: a new row. foreign: an explicit id that is somebody else's (D10).
    insert: line(
      'refused - refused',
      'rows - refused',
      'refused - refused',
      'rows - refused',
      'rows - refused',
      'rows - -',
    ),
    update: CHANGE,
    delete: NEVER,
  },
  media_uploads: ATTACHED,
  interview_turns: ATTACHED,
  feedback: ATTACHED,
  contribution_origins: ATTACHED,
  // Written by functions alone; the service, too, only reads.
  desk_audit_log: {
    select: line('- - refused', '- - refused', '- - none', '- - none', '- - rows', '- - rows'),
    insert: LOG_NEVER,
    update: LOG_NEVER,
    delete: LOG_NEVER,
  },
  // Functions write them.
  posts: POST_ROWS,
  post_versions: POST_ROWS,
  review_answers: POST_ROWS,
  user_roles: {
    select: line('- - refused', '- - refused', 'none - none', 'rows - none', 'rows - rows', '- - rows'),
    insert: ROLE_NEVER,
    update: ROLE_NEVER,
    delete: ROLE_NEVER,
  },
  buckets: {
    select: line(...same('rows - none', 5), 'rows - rows'),
    insert: line(...same('- - refused', 5), '- - rows'),
    update: line(...same('none - none', 5), 'rows - rows'),
    delete: line(...same('none - none', 5), '- - rows'),
  },
  objects: {
    select: READ,
    insert: ADD,
    update: CHANGE,
    delete: line(...same('- none none', 3), ...same('none none none', 2), '- rows rows'),
  },
};
