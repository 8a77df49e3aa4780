import type { Limits } from '#contract/app-config.ts';
import type { BackendErrorKind } from '#web/backend/errors.ts';
import { limitMessageOf } from './limit-texts.ts';
import { maxBytesOf, type SizeProblem } from './file-kind.ts';
import { inMegabytes, limitInWords } from './file-size.ts';

/** German texts about files, the same in every flow that takes some (D19, D20). */
export const fileTexts = {
  heic: 'HEIC-Fotos können noch nicht angezeigt werden. Wähle auf dem iPhone unter Einstellungen › Kamera › Formate „Maximale Kompatibilität“ oder exportiere das Foto als JPG.',
  preparing: 'Wird vorbereitet...',
  progress: 'Upload-Fortschritt',
  cancel: 'Upload abbrechen',
  localId: {
    title: 'Hinweis',
    description:
      'Es wird eine lokale Interview-ID verwendet, da keine Verbindung zur Datenbank hergestellt werden konnte.',
  },
  idFailed: { title: 'Fehler', description: 'Es gab ein Problem beim Laden oder Erstellen der Interview-ID.' },
  bucketFailed: {
    title: 'Storage-Fehler',
    description: 'Der Speicherort konnte nicht angelegt werden. Deine Dateien bleiben lokal auf diesem Gerät.',
  },
  accessRestricted: {
    title: 'Storage-Hinweis',
    description: 'Der Zugriff auf den Speicher ist eingeschränkt. Deine Dateien bleiben lokal auf diesem Gerät.',
  },
  uploadFailed: {
    title: 'Upload fehlgeschlagen',
    description: 'Es gab ein Problem beim Hochladen der Dateien. Bitte versuche es erneut.',
  },
} as const;

/** §8: why files did not arrive. */
export function describeUploadFailure<T>(failed: readonly BackendErrorKind[], otherwise: T) {
  if (failed.includes('no-bucket')) return fileTexts.bucketFailed;
  if (failed.includes('refused')) return fileTexts.accessRestricted;
  return limitMessageOf(failed) ?? otherwise;
}

const LIMIT_OF_KIND = {
  video: (limit: string) => `Ein Video darf höchstens ${limit} groß sein.`,
  image: (limit: string) => `Ein Bild darf höchstens ${limit} groß sein.`,
  document: (limit: string) => `Ein Dokument darf höchstens ${limit} groß sein.`,
} as const;

export function sizeMessage({ type, name, size, kind }: SizeProblem, limits: Limits) {
  const shown = shortName(name);
  if (type === 'empty')
    return { title: 'Leere Datei', description: `„${shown}“ enthält nichts. Bitte wähle sie neu aus.` };
  const limit = LIMIT_OF_KIND[kind](limitInWords(maxBytesOf(kind, limits)));
  return { title: 'Datei zu groß', description: `„${shown}“ hat ${inMegabytes(size, 1)}. ${limit}` };
}

const SHOWN_NAME_LENGTH = 60;

/** Names may have 300 characters; a message may not. Never cuts an emoji in half. */
export function shortName(name: string): string {
  const characters = Array.from(new Intl.Segmenter('de').segment(name), ({ segment }) => segment);
  if (characters.length <= SHOWN_NAME_LENGTH) return name;
  return `${characters.slice(0, SHOWN_NAME_LENGTH - 12).join('')}…${characters.slice(-11).join('')}`;
}

const REASONS: Readonly<Partial<Record<BackendErrorKind, string>>> = {
  'too-large': 'Zu groß für den Server',
  'too-many': 'Von deinem Anschluss kam gerade sehr viel. Versuche es später noch einmal.',
  'contribution-full': 'Der Beitrag nimmt nichts mehr auf.',
  full: 'Der Speicher ist gerade voll. Versuche es später noch einmal.',
  quota: 'Die Höchstmenge für Beiträge ohne Anmeldung ist erreicht. Melde dich an oder lass Dateien weg.',
  'wrong-type': 'Diese Art von Datei wird nicht angenommen.',
  refused: 'Nicht erlaubt. Der Zugang ist abgelaufen oder gilt hier nicht.',
  unreachable: 'Keine Verbindung. Es geht von selbst weiter, sobald sie wieder da ist.',
  'no-bucket': 'Der Speicherort fehlt. Versuche es später noch einmal.',
  aborted: 'Abgebrochen',
};

/** Why a file did not arrive, beside its name. */
export function failureReason(kind: BackendErrorKind): string {
  return REASONS[kind] ?? 'Nicht hochgeladen. Versuche es noch einmal.';
}
