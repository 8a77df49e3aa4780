import type { AccountErrorCode } from '#contract/accounts.ts';
import { formatNumber } from '#web/ui/format.ts';

const pieces = (count: number, one: string, many: string): string =>
  `${formatNumber(count)} ${count === 1 ? one : many}`;

/** §2.12, §8 'Other'. */
export const adminTexts = {
  title: 'Administration',
  lead: (name: string) => `Willkommen, ${name}. Hier siehst du, was aus den Bereichen kommt.`,
  accounts: 'Benutzer verwalten',
  setup: 'Einrichtung',
  refresh: 'Aktualisieren',
  refreshing: 'Lade Statistiken...',
  getAs: (time: string) => `Stand ${time} Uhr`,
  areas: 'Bereiche',
  names: (association: string): Readonly<Record<string, string>> => ({
    firma_a: 'Firma A',
    firma_b: 'Firma B',
    testnormec: 'Testnormec',
    admin: association,
  }),
  associationArea: 'Verbandsbereich',
  contributions: 'Beiträge',
  uploads: 'Medien-Uploads',
  users: 'Aktive Nutzer',
  loading: 'Lade Statistiken...',
  empty: 'Keine Daten verfügbar',
  failed: 'Fehler',
  unknownError: 'Unbekannter Fehler',
  details: 'Aktivität je Bereich',
  top: 'Die drei aktivsten Nutzer',
  nobody: 'Noch niemand hat hier etwas eingereicht.',
  activity: (contributions: number, uploads: number) =>
    `${pieces(contributions, 'Beitrag', 'Beiträge')} · ${pieces(uploads, 'Upload', 'Uploads')}`,
  last: (date: string) => `zuletzt am ${date}`,
  notesTitle: 'Hinweise für Administratoren',
  notes: [
    'Als Administrator kannst du jeden Bereich öffnen und dort wie dessen Nutzer arbeiten.',
    'Gezählt werden Beiträge und Uploads von angemeldeten Nutzern. ' +
      'Beiträge ohne Anmeldung gehören zu keinem Bereich; im Verlauf sind sie enthalten.',
    'Als aktiv gilt, wer mindestens einen Beitrag oder einen Upload eingereicht hat.',
  ],
} as const;

/** Texts of the activity charts. */
export const activityTexts = {
  title: 'Verlauf',
  lead: (weeks: number) => `Alles, was in den letzten ${weeks} Wochen eingegangen ist, mit und ohne Anmeldung.`,
  contributions: 'Beiträge',
  files: 'Dateien',
  thisWeek: 'Diese Woche',
  weekBefore: (count: string) => `Vorwoche: ${count}`,
  busiest: 'Stärkste Woche',
  from: (date: string) => `ab ${date}`,
  byWeek: 'Eingänge je Woche',
  byKind: 'Beiträge nach Art',
  quiet: 'In diesem Zeitraum ist noch nichts eingegangen.',
  weekChart: (most: string, date: string) =>
    `Säulendiagramm der Beiträge und Dateien je Woche. Die meisten Eingänge, ${most}, hatte die Woche ab ${date}`,
  kindChart: (kind: string, count: string) =>
    `Balkendiagramm der Beiträge nach Art. Am häufigsten: ${kind} mit ${count}.`,
  showTable: 'Zahlen als Tabelle anzeigen',
  hideTable: 'Tabelle ausblenden',
  week: 'Woche ab',
  kind: 'Art',
  count: 'Anzahl',
  total: 'Zusammen',
} as const;

const ROLE_NAMES: Readonly<Record<string, string>> = {
  firma_a: 'Firma A',
  firma_b: 'Firma B',
  testnormec: 'Testnormec',
  vdi_admin: 'Verbands-Admin',
  admin: 'Administrator',
};

/** /admin/benutzer (D14). */
export const accountsTexts = {
  title: 'Benutzer',
  lead: 'Wer sich anmelden darf, und mit welcher Rolle.',
  back: 'Zur Administration',
  search: 'Nach E-Mail suchen',
  found: (count: number) => pieces(count, 'Benutzer', 'Benutzer'),
  loading: 'Lade Benutzer...',
  nobody: 'Niemand gefunden',
  nobodyText: 'Zu dieser Suche gibt es kein Konto.',
  pages: 'Seiten',
  page: (page: number, last: number) => `Seite ${page} von ${last}`,
  previous: 'Vorherige',
  next: 'Nächste',
  role: 'Rolle',
  formatRole: (role: string | null) => (role === null ? 'Keine Rolle' : (ROLE_NAMES[role] ?? role)),
  you: 'Du',
  status: { active: 'Aktiv', invited: 'Eingeladen', locked: 'Gesperrt' },
  lastSignIn: 'Letzte Anmeldung',
  invitedOn: 'Eingeladen am',
  never: 'nie',
  withoutEmail: 'Ohne E-Mail-Adresse',
  manage: 'Verwalten',
  manageAccount: (email: string) => `${email} verwalten`,
  saveRole: 'Rolle speichern',
  lock: 'Sperren',
  unlock: 'Entsperren',
  lockHint: 'Wer gesperrt ist, kann sich nicht anmelden. Beiträge bleiben erhalten.',
  inviteAgain: 'Erneut einladen',
  renew: 'Neues Passwort erzeugen',
  remove: 'Benutzer entfernen',
  factors: {
    title: 'Zweiter Faktor',
    loading: 'Wird geladen...',
    failed: 'Das konnte gerade nicht geladen werden.',
    none: 'Keiner eingerichtet.',
    app: 'Authentifizierungs-App',
    passkey: 'Passkey',
    phone: 'Telefon',
    since: (kind: string, date: string) => `${kind}, seit ${date}`,
    remove: 'Zweiten Faktor entfernen',
    removeTitle: 'Zweiten Faktor entfernen?',
    removeText: (email: string) =>
      `Zum Anmelden genügt danach das Passwort von ${email}. Frage vorher auf einem anderen Weg nach, ` +
      'ob die Bitte wirklich von dort kommt.',
    removeConfirm: 'Entfernen',
  },
  own: 'Das ist dein eigenes Konto. Rolle, Sperre und Entfernen kann nur ein anderer Administrator ändern.',
  removeTitle: 'Benutzer entfernen?',
  removeText: (email: string) =>
    `${email} kann sich danach nicht mehr anmelden. Eingereichte Beiträge bleiben erhalten, ` +
    'gehören dann aber niemandem mehr. Das lässt sich nicht rückgängig machen.',
  removeConfirm: 'Entfernen',
  renewTitle: 'Neues Passwort erzeugen?',
  renewText: (email: string) => `Das bisherige Passwort von ${email} gilt dann nicht mehr, und alle Sitzungen enden.`,
  renewConfirm: 'Passwort erzeugen',
  create: 'Benutzer anlegen',
  createText: 'Die Rolle bestimmt, welcher Bereich sich nach der Anmeldung öffnet.',
  email: 'E-Mail',
  emailProblem: 'Bitte gib eine gültige E-Mail-Adresse ein.',
  chooseRole: 'Bitte wählen',
  roleProblem: 'Bitte wähle eine Rolle.',
  way: 'Zugang',
  invite: 'Per E-Mail einladen',
  inviteHint: 'Der Link in der E-Mail führt zur Wahl eines eigenen Passworts.',
  noMails: 'Hier ist kein Mailversand eingerichtet: Die Einladung bleibt als Datei auf dem Server.',
  password: 'Passwort erzeugen',
  passwordHint: 'Es wird dir einmal angezeigt; du gibst es selbst weiter.',
  createInvite: 'Einladung senden',
  createPassword: 'Konto anlegen',
  working: 'Einen Moment...',
  passwordTitle: 'Passwort notieren',
  passwordText: {
    created: (email: string) =>
      `Konto angelegt. Das Passwort für ${email} wird nur jetzt angezeigt und nirgends gespeichert.`,
    renewed: (email: string) =>
      `Neues Passwort erzeugt. Das Passwort für ${email} wird nur jetzt angezeigt und nirgends gespeichert.`,
  },
  passwordLabel: 'Passwort',
  copy: 'Kopieren',
  copyFailed: 'Kopieren nicht möglich. Markiere das Passwort und kopiere es von Hand.',
  done: 'Fertig',
  toasts: {
    invited: (email: string) => ({ title: 'Einladung gesendet', description: `An ${email}.` }),
    invitedHere: 'Einladung erstellt',
    role: (email: string, role: string) => ({ title: 'Rolle geändert', description: `${email}: ${role}.` }),
    locked: (email: string) => ({ title: 'Benutzer gesperrt', description: email }),
    unlocked: (email: string) => ({ title: 'Benutzer entsperrt', description: email }),
    removed: (email: string) => ({ title: 'Benutzer entfernt', description: email }),
    factorsRemoved: (email: string) => ({
      title: 'Zweiter Faktor entfernt',
      description: `${email} kann sich jetzt mit dem Passwort anmelden und einen neuen einrichten.`,
    }),
  },
  failed: 'Fehler',
  notConfiguredTitle: 'Der Benutzerverwaltung fehlt ein Schlüssel',
  notConfigured:
    'Das Backend wird von einem anderen Anbieter betrieben. Damit Konten hier verwaltet werden können, ' +
    'muss der Betreiber auf dem Server SUPABASE_SERVICE_KEY setzen. ' +
    'Bis dahin geht es in der Verwaltung des Anbieters.',
  errors: {
    not_authenticated: 'Deine Sitzung ist abgelaufen. Bitte melde dich neu an.',
    not_admin: 'Nur Administratoren dürfen Konten verwalten.',
    second_factor_needed: 'Bitte bestätige zuerst deinen zweiten Faktor.',
    invalid_request: 'Diese Angaben wurden nicht angenommen. Bitte prüfe sie.',
    account_not_found: 'Dieses Konto gibt es nicht mehr.',
    email_exists: 'Für diese E-Mail-Adresse gibt es schon ein Konto.',
    own_account: 'Das eigene Konto kann nur ein anderer Administrator ändern.',
    last_admin: 'Es muss mindestens ein Administrator bleiben.',
    already_signed_in: 'Die Einladung wurde schon angenommen.',
    mail_limit: 'Gerade sind zu viele E-Mails unterwegs. Bitte versuche es später noch einmal.',
    not_configured: 'Der Benutzerverwaltung fehlt ein Schlüssel.',
    backend_failed: 'Die Konten sind gerade nicht erreichbar. Bitte versuche es gleich noch einmal.',
    internal_error: 'Das hat nicht geklappt. Bitte versuche es noch einmal.',
    unreachable: 'Der Server ist gerade nicht erreichbar. Bitte prüfe deine Internetverbindung.',
  } satisfies Readonly<Record<AccountErrorCode | 'unreachable', string>>,
} as const;
