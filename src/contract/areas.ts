import type { Role } from './roles.ts';

/** §2.5: the subject of an interview; also the last part of its route. */
export const TOPICS = ['engineering-path', 'behind-scenes', 'tech-dive', 'free-topic'] as const;
export type Topic = (typeof TOPICS)[number];

export const AREA_IDS = ['generic', 'firma-a', 'firma-b', 'testnormec'] as const;
/** D1: an area is data. Everything that differs between areas stands in the table `AREAS` and nowhere else. */
export type AreaId = (typeof AREA_IDS)[number];

/** One part of an area's flows; each has the route `<base>/<flow>` (an interview: `<base>/interview/:topic`). */
export type Flow =
  | 'interview-category'
  | 'interview'
  | 'voice-message'
  | 'transcript-edit'
  | 'image-upload-after-voice'
  | 'upload'
  | 'video-upload'
  | 'image-upload'
  | 'document-upload'
  | 'thank-you';

/** Where a card or button leads. §2.12 names generic paths for the companies; D2 forwards them to the own area. */
export type DashboardTarget =
  | Exclude<Flow, 'interview' | 'transcript-edit' | 'image-upload-after-voice' | 'thank-you'>
  | 'content-selection';

export type Dashboard = Readonly<{
  cards: readonly DashboardTarget[];
  buttons: readonly DashboardTarget[];
  linksTo: 'generic' | 'own';
}>;

export type Area = Readonly<{
  id: AreaId;
  /** '' for the generic area. */
  base: string;
  /** Where the area's own start page is, and where its completion page leads back to (§4 'Contact form submit'). */
  home: string;
  roles: readonly Role[];
  flows: readonly Flow[];
  /** D5: whether the area has a `<base>/content-selection`, the five option cards. */
  selection: boolean;
  /** §2.12: what the area's dashboard offers; the generic area has none. */
  dashboard: Dashboard | undefined;
  /** Topics offered by the category picker; the interview routes take all. */
  offeredTopics: readonly Topic[];
  storageKeys: StorageKeys;
  /** §2.6, §2.8: the test area's screens differ. */
  variant: 'generic' | 'test';
  /** §2.11: company and test variants add a summary and what happens next. */
  thankYou: 'plain' | 'company' | 'test';
  /** Prefix of local ids (§3): `local_` or `testnormec_`. */
  localIdPrefix: 'local_' | 'testnormec_';
}>;

// prettier-ignore
const ALL_FLOWS: readonly Flow[] = [
  'interview-category', 'interview', 'voice-message', 'transcript-edit', 'image-upload-after-voice',
  'upload', 'video-upload', 'image-upload', 'document-upload', 'thank-you',
];

// prettier-ignore
const TEST_FLOWS: readonly Flow[] = [
  'interview-category', 'interview', 'voice-message', 'transcript-edit', 'image-upload-after-voice', 'thank-you',
];

export const AREAS: readonly Area[] = [
  {
    id: 'generic',
    base: '',
    home: '/',
    roles: ['admin', 'vdi_admin'],
    flows: ALL_FLOWS,
    selection: true,
    dashboard: undefined,
    offeredTopics: TOPICS,
    storageKeys: keys(''),
    variant: 'generic',
    thankYou: 'plain',
    localIdPrefix: 'local_',
  },
  company('firma-a', 'firma_a', ['upload', 'video-upload']),
  company('firma-b', 'firma_b', ['image-upload', 'document-upload', 'video-upload']),
  {
    id: 'testnormec',
    base: '/testnormec',
    home: '/testnormec',
    roles: ['testnormec', 'admin'],
    flows: TEST_FLOWS,
    selection: false,
    dashboard: { cards: ['interview-category', 'voice-message'], buttons: [], linksTo: 'own' },
    offeredTopics: ['behind-scenes'],
    storageKeys: keys('testnormec'),
    variant: 'test',
    thankYou: 'test',
    localIdPrefix: 'testnormec_',
  },
];

function company(id: 'firma-a' | 'firma-b', role: Role, buttons: readonly DashboardTarget[]): Area {
  return {
    id,
    base: `/${id}`,
    home: `/${id}`,
    roles: [role, 'admin'],
    flows: ALL_FLOWS,
    selection: true,
    dashboard: { cards: ['content-selection', 'interview-category', 'voice-message'], buttons, linksTo: 'generic' },
    offeredTopics: TOPICS,
    storageKeys: keys(id === 'firma-a' ? 'firmaA' : 'firmaB'),
    variant: 'generic',
    thankYou: 'company',
    localIdPrefix: 'local_',
  };
}

/** Keys in session and local storage (§3): each area has its own, so that flows of two areas never mix. */
function keys(prefix: string) {
  const named = (name: string): string =>
    prefix === '' ? name : `${prefix}${name.charAt(0).toUpperCase()}${name.slice(1)}`;
  return {
    interviewId: named('currentInterviewId'),
    transcriptInterviewId: named('transcriptInterviewId'),
    latestTranscript: named('latestTranscript'),
    /** In local storage. */
    interviewTranscript: named('interviewTranscript'),
  };
}

export type StorageKeys = Readonly<ReturnType<typeof keys>>;

/** §2.2: where a user of this role starts. */
export function getHome(role: string | null): string {
  if (role === 'admin') return '/admin';
  if (role === 'vdi_admin') return '/content-selection';
  const own = AREAS.find((area) => area.id !== 'generic' && area.roles.some((allowed) => allowed === role));
  return own?.home ?? '/no-role';
}

/** D2: the area a user works in when a generic flow route is opened. */
export function ownArea(role: string | null): Area | undefined {
  const area = AREAS.filter((candidate) => candidate.roles.some((allowed) => allowed === role));
  return role === 'admin' ? area.find((candidate) => candidate.id === 'generic') : area[0];
}
