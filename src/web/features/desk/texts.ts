import type { DeskItem, DeskSort, DeskState } from '#contract/desk.ts';
import { formatArea, formatTopic, KIND_LABELS } from '#contract/labels.ts';
import type { DeskProblem } from '#web/backend/desk.ts';

/** Texts that several screens of the desk share. */
export const deskTexts = {
  title: 'Eingang',
  toAdmin: 'Zur Administration',
  views: 'Ansicht',
  list: 'Liste',
  board: 'Tafel',
  people: 'Datenschutz',
  states: {
    new: 'Neu',
    in_progress: 'In Arbeit',
    for_review: 'Zur Freigabe',
    published: 'Veröffentlicht',
    rejected: 'Abgelehnt',
  } satisfies Readonly<Record<DeskState, string>>,
  kinds: KIND_LABELS,
  formatArea: (area: string) => (area === '' ? 'Ohne Bereich' : formatArea(area)),
  formatTopic,
  formatName: (contributor: string) => (contributor === '' ? 'Ohne Namen' : contributor),
  unfinished: 'Unvollständig',
  unfinishedHint: 'Die Kontaktdaten fehlen noch.',
  files: (count: number) => (count === 1 ? '1 Datei' : `${count} Dateien`),
  posts: ({ approved, total }: NonNullable<DeskItem['posts']>) => `${approved} von ${total} freigegeben`,
  allApproved: 'Alles freigegeben',
  changes: (count: number) => (count === 1 ? 'Änderung gewünscht' : `${count} Änderungen gewünscht`),
  nobody: 'Niemand',
  assignedTo: (email: string) => `In Bearbeitung bei ${email}`,
  newItems: (count: string, one: boolean) => (one ? '1 neuen Beitrag anzeigen' : `${count} neue Beiträge anzeigen`),
  erasedItems: (count: string) => (count === '1' ? 'Ein Beitrag wurde gelöscht' : `${count} Beiträge wurden gelöscht`),
  leftItems: (count: string) =>
    count === '1' ? 'Ein Beitrag passt nicht mehr zum Filter' : `${count} Beiträge passen nicht mehr zum Filter`,
  connectionLostTitle: 'Gerade ohne Verbindung',
  connectionLost: 'Du siehst den letzten Stand. Neues kommt von selbst, sobald die Verbindung wieder da ist.',
  downloadFailed: 'Herunterladen nicht möglich',
  loading: 'Lade Beiträge...',
  loadMore: 'Mehr laden',
  loadingMore: 'Lade mehr...',
  shown: (count: string) => (count === '1' ? '1 Beitrag angezeigt' : `${count} Beiträge angezeigt`),
  cancel: 'Abbrechen',
  close: 'Schließen',
  working: 'Einen Moment...',
  keys: 'Tastenkürzel',
  keysText: 'Sie gelten überall im Eingang, nur nicht beim Schreiben in einem Feld.',
  keysOff: 'Tasten mit einem Zeichen ausschalten',
  keysMeaning: {
    next: 'Nächster Beitrag',
    previous: 'Vorheriger Beitrag',
    open: 'Beitrag öffnen',
    back: 'Zurück zur Liste',
    search: 'Suchen',
    help: 'Diese Übersicht',
    beside: 'Auf der Tafel: zur Karte in der Spalte daneben',
    move: 'Auf der Tafel: Karte in die Spalte daneben verschieben',
  },
  keyNames: { escape: 'Esc', enter: 'Eingabe', shift: 'Umschalt', or: 'oder' },
  admin: {
    title: 'Eingang',
    text: 'Alles, was eingereicht wurde: ansehen, bearbeiten, freigeben.',
    newItems: (count: string, one: boolean) => (one ? '1 neuer Beitrag' : `${count} neue Beiträge`),
    nothing: 'Nichts Neues',
  },
  problems: {
    unreachable: 'Der Server ist gerade nicht erreichbar. Prüfe deine Internetverbindung und versuche es noch einmal.',
    refused: 'Deine Anmeldung gilt hier nicht mehr. Bitte melde dich neu an.',
    missing: 'Diesen Beitrag gibt es nicht mehr.',
    conflict: 'Jemand anderes war schneller.',
    invalid: 'Diese Angaben wurden nicht angenommen. Bitte prüfe sie.',
    mail_off: 'Dieser Server verschickt keine E-Mails. Der Betreiber muss SUPABASE_SERVICE_KEY setzen.',
    no_address: 'Zu diesem Beitrag gibt es keine E-Mail-Adresse, an die der Link gehen könnte.',
    failed: 'Das hat nicht geklappt. Bitte versuche es noch einmal.',
    not_authenticated: 'Deine Sitzung ist abgelaufen. Bitte melde dich neu an.',
    not_admin: 'Nur Administratoren dürfen das.',
    second_factor_needed: 'Bitte bestätige zuerst deinen zweiten Faktor.',
    invalid_request: 'Diese Angaben wurden nicht angenommen. Bitte prüfe sie.',
    ticket_invalid: 'Der Link zum Herunterladen gilt nicht mehr. Bitte versuche es noch einmal.',
    contribution_not_found: 'Diesen Beitrag gibt es nicht mehr.',
    file_not_found: 'Diese Datei gibt es nicht mehr.',
    post_not_found: 'Diesen Post gibt es nicht mehr.',
    file_missing: 'Diese Datei fehlt im Speicher. Frag nach, ob sie noch einmal geschickt werden kann.',
    file_damaged:
      'Diese Datei ist im Speicher unvollständig oder beschädigt. „Alles als ZIP“ enthält, was übrig ist. ' +
      'Frag nach, ob sie noch einmal geschickt werden kann.',
    file_not_cleanable:
      'Orts- und Gerätedaten ließen sich aus dieser Datei nicht sicher entfernen. Nimm das Original und entferne ' +
      'sie vor der Veröffentlichung selbst.',
    person_not_found: 'Zu dieser Adresse gibt es nichts.',
    own_account: 'Das eigene Konto kann nur ein anderer Administrator löschen.',
    last_admin: 'Es muss mindestens ein Administrator bleiben.',
    retention_off: 'Es ist keine Aufbewahrungsfrist eingestellt.',
    retention_too_early: 'Diese Beiträge sind noch nicht alt genug. Lade die Vorschau neu.',
    not_configured:
      'Dem Server fehlt ein Schlüssel. Damit hier gelöscht werden kann, ' +
      'muss der Betreiber SUPABASE_SERVICE_KEY setzen.',
    backend_failed: 'Die Daten sind gerade nicht erreichbar. Bitte versuche es gleich noch einmal.',
    erasure_unfinished:
      'Ein Teil konnte noch nicht gelöscht werden. Die Löschung ist vermerkt und wird von selbst zu Ende geführt.',
    internal_error: 'Das hat nicht geklappt. Bitte versuche es noch einmal.',
  } satisfies Readonly<Record<DeskProblem, string>>,
} as const;

export const filterTexts = {
  title: 'Filter',
  states: 'Nach Status',
  open: (count: number) => (count === 0 ? 'Filter' : `Filter (${count})`),
  show: 'Beiträge anzeigen',
  search: 'Suchen',
  clearSearch: 'Suche leeren',
  area: 'Bereich',
  kind: 'Art',
  contact: 'Kontaktdaten',
  any: 'Alle',
  finished: 'Vollständig',
  unfinished: 'Unvollständig',
  assignee: 'Bearbeitung',
  mine: 'Ich',
  nobody: 'Noch niemand',
  unknownColleague: 'Jemand anderes',
  from: 'Eingegangen ab',
  until: 'Eingegangen bis',
  wrongDay: 'Bitte gib einen Tag zwischen 2020 und 2099 ein.',
  wrongOrder: 'Dieser Tag liegt vor dem ersten.',
  sort: 'Sortierung',
  sorts: {
    newest: 'Neueste zuerst',
    oldest: 'Älteste zuerst',
    changed: 'Zuletzt geändert',
    contributor: 'Name',
  } satisfies Readonly<Record<DeskSort, string>>,
  active: 'Aktive Filter',
  remove: (name: string) => `Filter entfernen: ${name}`,
  clear: 'Zurücksetzen',
  searchedFor: (text: string) => `„${text}“`,
  since: (date: string) => `ab ${date}`,
  upTo: (date: string) => `bis ${date}`,
} as const;

export const inboxTexts = {
  contributions: 'Beiträge',
  emptyTitle: 'Noch nichts eingegangen',
  empty: 'Sobald jemand etwas einreicht, steht es hier. Du musst die Seite dafür nicht neu laden.',
  noneTitle: 'Nichts gefunden',
  none: 'Zu diesen Filtern und dieser Suche gibt es keinen Beitrag.',
  clear: 'Alle Filter zurücksetzen',
  noText: 'Ohne Text',
  kind: 'Art',
  area: 'Bereich',
  topic: 'Thema',
  received: 'Eingegangen',
  assigned: 'In Bearbeitung bei',
  files: 'Dateien',
  posts: 'Posts',
} as const;

/** Marks the place for the draft in the template. */
const GAP = '[Entwurf oder Link einfügen]';

export const stateChangeTexts = {
  gap: GAP,
  mailTitle: 'Nachricht zur Freigabe',
  mailText: (email: string) => `Diese Nachricht geht an ${email}. Du kannst sie ändern.`,
  mailPosts:
    'Sie enthält keinen Freigabe-Link. Den bekommen Posts, die du in der Ansicht „Posts“ zur Freigabe sendest.',
  mailNobody: 'Es gibt keine E-Mail-Adresse. Der Status wird geändert, eine Nachricht geht nicht hinaus.',
  message: 'Nachricht',
  mailKept: 'Auf diesem Gerät gesichert, noch nicht gesendet.',
  restored: {
    title: 'Nicht gesendete Nachricht von diesem Gerät',
    text: 'Sie steht wieder im Feld.',
    discard: 'Zur Vorlage zurück',
  },
  messageMissing: 'Bitte schreibe eine Nachricht.',
  gapLeft: `Ersetze „${GAP}“ durch den Entwurf oder einen Link.`,
  messageLong: (most: string) => `Bitte kürze die Nachricht auf höchstens ${most} Zeichen.`,
  send: 'Senden und Status ändern',
  changeOnly: 'Status ändern',
  template: (greeting: string) =>
    `${greeting}\n\naus deinem Beitrag ist ein Entwurf entstanden. Bitte sieh ihn dir an:\n\n${GAP}\n\n` +
    'Passt alles so, oder sollen wir etwas ändern? Antworte einfach auf diese E-Mail.\n\n' +
    'Viele Grüße\nDein Redaktionsteam',
  greeting: (name: string) => (name === '' ? 'Hallo,' : `Hallo ${name},`),
  linkTitle: 'Veröffentlicht',
  linkText: (email: string) => `Der Link geht in einer E-Mail an ${email}.`,
  linkNobody: 'Es gibt keine E-Mail-Adresse. Der Link wird hier gespeichert, eine Nachricht geht nicht hinaus.',
  link: 'Link zum veröffentlichten Beitrag',
  linkHint: 'Zum Beispiel https://www.linkedin.com/posts/...',
  linkMissing: 'Bitte gib den Link ein.',
  linkWrong: 'Das ist kein vollständiger Link. Er beginnt mit https://',
  publish: 'Als veröffentlicht speichern',
  conflictTitle: 'Jemand anderes war schneller',
  conflict: (state: string, by: string) =>
    `${by === '' ? 'Der Status wurde inzwischen geändert' : `${by} hat diesen Beitrag inzwischen geändert`}. ` +
    `Er steht jetzt auf „${state}“. Sieh nach, ob deine Änderung noch passt.`,
  kept: 'Was du geschrieben hast, ist noch da.',
  moved: (name: string, state: string) => `${name}: jetzt „${state}“`,
} as const;
