import { TOPICS, type Area, type Topic } from '#contract/areas.ts';

/** Which step of a flow needed an id; names the variant of a local id (§3 'Local interview ids'). */
export type ContentKind = 'voice' | 'image-interview' | 'plain' | Topic;

const PART_OF_KIND: Readonly<Record<ContentKind, string>> = {
  plain: '',
  voice: 'voice_',
  'engineering-path': 'engineering_',
  'behind-scenes': 'behind_scenes_',
  'tech-dive': 'tech_dive_',
  'free-topic': 'free_topic_',
  'image-interview': 'image_interview_',
};

const RANDOM_BYTES = 8;

/** `local_voice_1763673600000_9f2c…`; in the test area `testnormec_voice_…`. `now` in ms. */
export function makeLocalId(area: Area, kind: ContentKind, now: number): string {
  return `${area.localIdPrefix}${PART_OF_KIND[kind]}${now}_${randomHex(RANDOM_BYTES)}`;
}

/** The variant a local id was made for. */
export function kindOfLocalId(id: string): ContentKind {
  const kinds: readonly ContentKind[] = ['voice', 'image-interview', ...TOPICS];
  return kinds.find((kind) => new RegExp(`^[a-z]+_${PART_OF_KIND[kind]}\\d`).test(id)) ?? 'plain';
}

/** §3: any id with a local prefix, or not parseable as a number. */
export function isLocalId(id: string): boolean {
  return numericId(id) === undefined;
}

/**
 * The database's id, or `undefined` for a local one. Only such an id may be written to (§5 'Database writes by id').
 */
export function numericId(id: string | undefined): number | undefined {
  if (id === undefined || !/^[1-9]\d*$/.test(id)) return undefined;
  const parsed = Number(id);
  return Number.isSafeInteger(parsed) ? parsed : undefined;
}

export function randomHex(bytes: number): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(bytes)), (byte) => byte.toString(16).padStart(2, '0')).join(
    '',
  );
}
