import type { Limits } from '#contract/app-config.ts';
import { BackendError, type BackendErrorKind } from '#web/backend/errors.ts';
import { getMaxBytes, type SelectionProblem, type SizeProblem } from './file-kind.ts';

/** The steps of the ways to a contribution. */
export const flowTexts = {
  steps: {
    recording: 'Aufnahme',
    topic: 'Thema',
    notes: 'Hinweise',
    conversation: 'Gespräch',
    video: 'Video',
    image: 'Bild',
    document: 'Dokument',
    description: 'Beschreibung',
    answers: 'W-Fragen',
    transcript: 'Transkript',
    images: 'Bilder',
    contact: 'Kontaktdaten',
  },
} as const;

/** Who gets a contribution, and what for. */
export const trustTexts = {
  line: (association: string) =>
    `Was du abgibst, bekommt nur das Redaktionsteam (${association}), um Posts daraus zu machen.`,
  more: 'Mehr dazu',
  facts: [
    'Du siehst jeden Vorschlag, bevor er erscheint, und kannst ändern lassen oder Nein sagen.',
    'Aus Bildern und Videos, die veröffentlicht werden, nehmen wir Ort und Gerät heraus.',
    'Deine Kontaktdaten nutzen wir nur, um dir den Vorschlag zu schicken.',
  ],
  kept: 'Möchtest du, dass etwas gelöscht wird, sag uns Bescheid: Die Content-ID genügt.',
  erased: (days: number) =>
    `Nach ${days === 1 ? 'einem Tag' : `${days} Tagen`} löschen wir alles. Auf Wunsch früher: Die Content-ID genügt.`,
} as const;

/** Who can be recognised on pictures and films. */
export const imageRightsTexts = {
  question: 'Wer ist zu erkennen?',
  questionAll: (count: number) => `Wer ist zu erkennen? Gilt für ${count === 2 ? 'beide' : `alle ${count}`} Dateien`,
  each: 'Für jede Datei einzeln angeben',
  different: 'Unterschiedlich',
  hint: 'Du weißt es nicht? Dann lass „Weiß ich nicht“ stehen: Wir klären es, bevor etwas erscheint.',
} as const;

/** German texts about files, the same in every flow that takes some (D19, D20). */
export const fileTexts = {
  chosenVideo: 'Dein Video',
  heic:
    'HEIC-Fotos können noch nicht angezeigt werden. ' +
    'Wähle auf dem iPhone unter Einstellungen › Kamera › Formate „Maximale Kompatibilität“ oder ' +
    'exportiere das Foto als JPG.',
  wrongType: {
    title: 'Ungültiger Dateityp',
    description: 'Einige Dateien wurden nicht hinzugefügt, da sie nicht unterstützt werden.',
  },
  duplicate: (name: string) => ({
    title: 'Schon ausgewählt',
    description: `„${name}“ steht bereits in deiner Auswahl.`,
  }),
  partial: (count: number, of: number) => ({
    title: 'Upload erfolgreich',
    description: `${count} von ${of} Datei(en) wurden erfolgreich hochgeladen.`,
  }),
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
  return findLimitMessage(failed) ?? otherwise;
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
  const limit = LIMIT_OF_KIND[kind](limitInWords(getMaxBytes(kind, limits)));
  // The next tenth: as a file that is refused it may not read as large as the limit.
  const has = inMegabytes(size + MEBIBYTE / 20 - 1, 1);
  return { title: 'Datei zu groß', description: `„${shown}“ hat ${has}. ${limit}` };
}

/** Why a file was not added. */
export function selectionMessage(problem: SelectionProblem, limits: Limits, tooMany: Message): Message {
  switch (problem.type) {
    case 'too-many':
      return tooMany;
    case 'wrong-type':
      return fileTexts.wrongType;
    case 'duplicate':
      return fileTexts.duplicate(shortName(problem.name));
    default:
      return sizeMessage(problem, limits);
  }
}

const SHOWN_NAME_LENGTH = 60;

/** Names may have 300 characters; a message may not. Never cuts an emoji in half. */
export function shortName(name: string): string {
  const characters = Array.from(new Intl.Segmenter('de').segment(name), ({ segment }) => segment);
  if (characters.length <= SHOWN_NAME_LENGTH) return name;
  return `${characters.slice(0, SHOWN_NAME_LENGTH - 12).join('')}…${characters.slice(-11).join('')}`;
}

const REASONS: Readonly<Partial<Record<BackendErrorKind, string>>> = {
  'too-large': 'Zu groß für den Server. Sag dem Team Bescheid.',
  'too-many': 'Von deinem Anschluss kam gerade sehr viel. Versuche es später noch einmal.',
  'contribution-full': 'Der Beitrag nimmt nichts mehr auf.',
  full: 'Der Speicher ist gerade voll. Versuche es später noch einmal.',
  quota: 'Die Höchstmenge für Beiträge ohne Anmeldung ist erreicht. Melde dich an oder lass Dateien weg.',
  'wrong-type': 'Diese Art von Datei wird nicht angenommen.',
  refused: 'Nicht erlaubt. Der Zugang ist abgelaufen oder gilt hier nicht.',
  unreachable: 'Keine Verbindung. Es geht von selbst weiter, sobald sie wieder da ist.',
  'no-bucket': 'Der Speicherort fehlt. Versuche es später noch einmal.',
  unreadable: 'Lässt sich nicht mehr lesen. Wähle die Datei noch einmal aus.',
  aborted: 'Abgebrochen',
};

/** Why a file did not arrive, beside its name. */
export function failureReason(kind: BackendErrorKind): string {
  return REASONS[kind] ?? 'Nicht hochgeladen. Versuche es noch einmal.';
}

const MEBIBYTE = 1024 * 1024;
const GIBIBYTE = 1024 * MEBIBYTE;

/** §9 'File size display': MB with that many decimals, such as '12,3 MB'. What would read as zero is 'unter 0,1 MB'. */
export function inMegabytes(bytes: number, decimals: 1 | 2): string {
  const least = 10 ** -decimals * MEBIBYTE;
  return bytes < least / 2 ? `unter ${inMegabytes(least, decimals)}` : `${german(bytes / MEBIBYTE, decimals)} MB`;
}

/** A limit (D19) in the unit people know it by, and not more than it is: '2 GB', '50 MB'. */
export function limitInWords(bytes: number): string {
  const [unit, name] = bytes < GIBIBYTE ? [MEBIBYTE, 'MB'] : [GIBIBYTE, 'GB'];
  return `${german(Math.floor((10 * bytes) / unit) / 10, 0)} ${name}`;
}

function german(value: number, least: number): string {
  return value.toLocaleString('de-DE', { minimumFractionDigits: least, maximumFractionDigits: least || 1 });
}

type Message = Readonly<{ title: string; description: string }>;

const MESSAGES: Readonly<Partial<Record<BackendErrorKind, Message>>> = {
  'too-many': {
    title: 'Zu viele Beiträge',
    description: 'Von deinem Anschluss kam in der letzten Stunde sehr viel. Versuche es später noch einmal.',
  },
  'too-long': { title: 'Text zu lang', description: 'Der Text ist länger als erlaubt. Bitte kürze ihn.' },
  'contribution-full': {
    title: 'Beitrag voll',
    description: 'Dieser Beitrag nimmt nichts mehr auf. Beginne für alles Weitere einen neuen.',
  },
  quota: {
    title: 'Höchstmenge erreicht',
    description: 'Mehr ist ohne Anmeldung nicht möglich. Melde dich an oder lass Dateien weg.',
  },
  full: { title: 'Speicher voll', description: 'Unser Speicher ist gerade voll. Versuche es später noch einmal.' },
};

/** What to tell where the server refused something above a limit; undefined for every other error. */
export function limitMessage(error: unknown): Message | undefined {
  return error instanceof BackendError ? MESSAGES[error.kind] : undefined;
}

/** The same for what several files were refused for. */
export function findLimitMessage(kinds: readonly BackendErrorKind[]): Message | undefined {
  return kinds.map((kind) => MESSAGES[kind]).find((message) => message !== undefined);
}
