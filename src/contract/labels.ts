import type { AreaId, Topic } from './areas.ts';
import type { ContributionKind } from './desk.ts';

/** German names that the desk's screens and the mails share. */
export const KIND_LABELS: Readonly<Record<ContributionKind, string>> = {
  interview: 'Interview',
  voice_message: 'Sprachnachricht',
  video: 'Video',
  image: 'Bild',
  document: 'Dokument',
  contributor: 'Medien-Upload',
};

const AREA_LABELS: Readonly<Record<AreaId, string>> = {
  generic: 'Verbandsbereich',
  'firma-a': 'Firma A',
  'firma-b': 'Firma B',
  testnormec: 'Testnormec',
};

const TOPIC_LABELS: Readonly<Record<Topic, string>> = {
  'engineering-path': 'Weg ins Ingenieurwesen',
  'behind-scenes': 'Hinter den Kulissen',
  'tech-dive': 'Technik im Detail',
  'free-topic': 'Freies Thema',
};

/** Rows may come from a newer version: an unknown value is shown as it is. */
const formatWith =
  (labels: Readonly<Record<string, string>>) =>
  (value: string): string =>
    labels[value] ?? value;

export const formatKind = formatWith(KIND_LABELS);
export const formatArea = formatWith(AREA_LABELS);
export const formatTopic = formatWith(TOPIC_LABELS);

/** '1 Beitrag', '1.234 Beiträge'. */
export function formatPieces(count: number, one: string, many: string): string {
  return `${count.toLocaleString('de-DE')} ${count === 1 ? one : many}`;
}
