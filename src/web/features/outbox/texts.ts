import type { BackendErrorKind } from '#web/backend/errors.ts';

/** New texts (D20). */
export const texts = {
  heading: 'Ausgangskorb',
  lead:
    'Was du auf diesem Gerät gesichert hast. Es wird von selbst gesendet, sobald die Verbindung da ist. ' +
    'Lass diese Seite bis dahin offen, oder komm bald wieder: Manche Geräte löschen nach einer Woche, was hier liegt.',
  empty: 'Hier wartet nichts',
  emptyText:
    'Wenn ein Beitrag einmal nicht gesendet werden kann, kannst du ihn auf diesem Gerät sichern. Dann steht er hier.',
  otherAccounts: (count: number) =>
    `${count === 1 ? '1 Beitrag wartet' : `${count} Beiträge warten`} auf diesem Gerät auf eine Anmeldung.`,
  home: 'Zur Startseite',
  list: 'Gesicherte Beiträge',
  title: (when: string) => `Beitrag vom ${when}`,
  contentId: 'Content-ID',
  status: {
    waiting: 'Wartet auf die Verbindung',
    sending: 'Wird gesendet...',
    sent: 'Vollständig gesendet',
    failed: 'Nicht gesendet',
  },
  parts: { transcript: 'Transkript', answers: 'Antworten auf die W-Fragen', contact: 'Kontaktdaten' },
  part: { waiting: 'Wartet', sending: 'Wird gesendet', sent: 'Gesendet', failed: 'Nicht gesendet' },
  consentTitle: 'Einwilligung',
  consentLater: 'Für deine Kontaktdaten brauchen wir inzwischen deine Einwilligung:',
  agree: 'Zustimmen und senden',
  send: 'Jetzt senden',
  retry: 'Erneut versuchen',
  download: (name: string) => `${name} herunterladen`,
  transcriptFile: 'Transkript.txt',
  remove: 'Entfernen',
  removeTitle: 'Beitrag von diesem Gerät entfernen?',
  removeText: 'Was noch nicht gesendet ist, geht verloren. Das lässt sich nicht rückgängig machen.',
  removePartTitle: 'Datei aus dem Beitrag entfernen?',
  removePartText: 'Der Beitrag wird ohne sie gesendet. Das lässt sich nicht rückgängig machen.',
  removeSent: 'Der Beitrag ist bei uns angekommen. Er verschwindet nur aus dieser Liste.',
  keep: 'Behalten',
} as const;

const REASONS: Readonly<Partial<Record<BackendErrorKind, string>>> = {
  refused: 'Das ist nicht mehr erlaubt. Der Zugang ist abgelaufen oder gilt hier nicht.',
  'too-large': 'Die Datei ist zu groß für den Server. Sag dem Team Bescheid.',
  'too-many': 'Von deinem Anschluss kam in der letzten Stunde sehr viel. Wir versuchen es später noch einmal.',
  'too-long': 'Der Text ist länger als erlaubt.',
  'contribution-full': 'Dieser Beitrag nimmt nichts mehr auf.',
  consent: 'Dafür fehlt deine Einwilligung. Lade die Seite neu, wenn sie hier nicht steht.',
  quota:
    'Für Beiträge ohne Anmeldung ist die Höchstmenge erreicht. Melde dich an und reiche die Datei noch einmal ein.',
  'wrong-type': 'Diese Art von Datei wird nicht angenommen.',
  'no-bucket': 'Der Speicherort fehlt. Versuche es später noch einmal.',
  full: 'Unser Speicher ist gerade voll. Wir versuchen es später noch einmal.',
  missing: 'Die Datei liegt nicht mehr auf diesem Gerät.',
  unreadable: 'Die Datei lässt sich nicht mehr lesen. Reiche sie noch einmal ein.',
  unreachable: 'Keine Verbindung. Wir versuchen es später noch einmal.',
  failed: 'Es gab ein Problem. Wir versuchen es gleich noch einmal.',
};

export function reasonText(reason: BackendErrorKind): string {
  return REASONS[reason] ?? 'Es gab ein Problem. Versuche es noch einmal.';
}
