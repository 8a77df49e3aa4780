import type { Arrival } from '#web/backend/arrival.ts';

/** §2.2, §8 'Authentication', D15. */
export const loginTexts = {
  title: 'Anmelden',
  lead: 'Mit den Zugangsdaten, die du von deinem Administrator bekommen hast.',
  email: 'E-Mail',
  password: 'Passwort',
  submit: 'Anmelden',
  submitting: 'Anmeldung läuft...',
  forgotten: 'Passwort vergessen?',
  back: 'Zurück zur Anmeldung',
  noMails: 'Hier ist kein Mailversand eingerichtet. Kommt keine E-Mail an, wende dich an einen Administrator.',
  mailCode: 'Code per E-Mail statt Passwort',
  companyLogin: 'Mit dem Firmenkonto anmelden',
  emailMissing: 'Bitte gib deine E-Mail-Adresse ein.',
  emailInvalid: 'Bitte gib eine gültige E-Mail-Adresse ein.',
  passwordMissing: 'Bitte gib dein Passwort ein.',
  credentialsWrong: 'Prüfe E-Mail-Adresse und Passwort, oder setze ein neues Passwort.',
  idle: {
    title: 'Du wurdest abgemeldet',
    text: 'Hier ist 30 Minuten lang nichts passiert. Melde dich an, um weiterzumachen.',
  },
  denied: {
    title: 'Zugriff verweigert',
    text: 'Sie müssen angemeldet sein, um auf diesen Bereich zuzugreifen.',
  },
  toasts: {
    success: { title: 'Erfolgreich angemeldet' },
    credentials: { title: 'Anmeldung fehlgeschlagen', description: 'Ungültige E-Mail oder Passwort.' },
    captcha: {
      title: 'Anmeldefehler',
      description: 'Die Sicherheitsabfrage wurde nicht angenommen. Bitte beantworte sie noch einmal.',
    },
    rejected: (message: string) => ({ title: 'Anmeldefehler', description: message }),
    unexpected: {
      title: 'Unerwarteter Fehler',
      description: 'Ein unerwarteter Fehler ist aufgetreten. Bitte versuchen Sie es erneut.',
    },
    exception: { title: 'Fehler', description: 'Ein Fehler ist aufgetreten. Bitte versuchen Sie es erneut.' },
  },
  story: {
    title: 'Aus deinem Fachwissen wird ein Beitrag.',
    steps: ['Erzählen', 'Prüfen', 'Veröffentlichen'],
    details: [
      'Ein Interview, eine Sprachnachricht oder ein Bild von unterwegs.',
      'Du liest den Text und gibst ihn frei.',
      'Das Team bringt ihn auf die Kanäle.',
    ],
  },
} as const;

/** Why a request before the login failed. */
const requestFailures = {
  captcha: 'Die Sicherheitsabfrage wurde nicht angenommen. Bitte beantworte sie noch einmal.',
  wait: 'Das war zu oft hintereinander. Bitte warte einen Moment.',
  unreachable: 'Der Server ist gerade nicht erreichbar. Bitte versuche es gleich noch einmal.',
} as const;

export const forgottenTexts = {
  title: 'Passwort vergessen?',
  lead: 'Gib deine E-Mail-Adresse ein. Du bekommst einen Link, mit dem du ein neues Passwort setzt.',
  submit: 'Link anfordern',
  submitting: 'Wird gesendet...',
  sentTitle: 'Sieh in dein Postfach',
  sent: 'Wenn es zu dieser Adresse ein Konto gibt, ist eine E-Mail mit einem Link unterwegs.',
  ...requestFailures,
} as const;

export const mailCodeTexts = {
  title: 'Mit Code anmelden',
  lead: 'Du bekommst einen Code per E-Mail und brauchst kein Passwort.',
  send: 'Code anfordern',
  busy: 'Einen Moment...',
  sentTitle: 'Sieh in dein Postfach',
  sentText: 'Wenn es zu dieser Adresse ein Konto gibt, ist ein Code unterwegs.',
  code: 'Code aus der E-Mail',
  codeMissing: 'Bitte gib den Code ein.',
  submit: 'Anmelden',
  locked: 'Dieses Konto ist gesperrt. Bitte wende dich an einen Administrator.',
  wrong: 'Dieser Code stimmt nicht oder ist abgelaufen. Bitte prüfe ihn oder fordere einen neuen an.',
  reload: 'Neuen Code anfordern',
  ...requestFailures,
} as const;

export const companyLoginTexts = {
  title: 'Mit dem Firmenkonto anmelden',
  lead: 'Gib deine dienstliche E-Mail-Adresse ein. Du wirst zur Anmeldung deiner Firma geführt.',
  submit: 'Weiter',
  busy: 'Einen Moment...',
  unknown:
    'Für diese Adresse ist keine Anmeldung mit Firmenkonto eingerichtet. Prüfe sie oder melde dich mit Passwort an.',
  ...requestFailures,
} as const;

export const providerTexts = {
  with: (name: string) => `Mit ${name} anmelden`,
  busy: 'Du wirst weitergeleitet...',
  silent: (name: string) => `${name} ist gerade nicht erreichbar. Bitte versuche es später oder melde dich anders an.`,
  ...requestFailures,
} as const;

/** A return from a link or provider without a session. */
export const arrivalTexts = {
  cancelled: {
    title: 'Anmeldung abgebrochen',
    text: 'Du bist nicht angemeldet. Wähle noch einmal, wie du dich anmeldest.',
  },
  expired: {
    title: 'Das hat zu lange gedauert',
    text: 'Dieser Link oder diese Anmeldung gilt nicht mehr. Bitte beginne noch einmal von vorn.',
  },
  'no-account': {
    title: 'Hier gibt es dazu kein Konto',
    text: 'Bitte einen Administrator, eines mit deiner E-Mail-Adresse anzulegen, oder melde dich anders an.',
  },
  locked: { title: 'Dieses Konto ist gesperrt', text: 'Bitte wende dich an einen Administrator.' },
  unconfirmed: {
    title: 'Bestätige zuerst deine Adresse',
    text: 'Du hast eine E-Mail mit einem Link bekommen. Öffne ihn und melde dich danach noch einmal an.',
  },
  'other-mailbox': {
    title: 'Die Hälfte ist geschafft',
    text: 'Öffne jetzt noch den Link in deinem anderen Postfach. Dann gilt die neue Adresse.',
  },
  refused: {
    title: 'Die Anmeldung wurde nicht angenommen',
    text: 'Versuche es noch einmal. Klappt es wieder nicht, melde dich mit Passwort an oder frage die IT deiner Firma.',
  },
} as const satisfies Record<Arrival, { title: string; text: string }>;

export const newPasswordTexts = {
  title: 'Neues Passwort setzen',
  lead: 'Danach bist du angemeldet.',
  checking: 'Der Link wird geprüft...',
  password: 'Neues Passwort',
  hint: (length: number) => `Mindestens ${length} Zeichen.`,
  repeat: 'Neues Passwort wiederholen',
  submit: 'Passwort speichern',
  submitting: 'Wird gespeichert...',
  tooShort: (length: number) => `Bitte wähle mindestens ${length} Zeichen.`,
  different: 'Die beiden Eingaben stimmen nicht überein.',
  saved: { title: 'Passwort gespeichert', description: 'Du kannst dich ab jetzt damit anmelden.' },
  weak:
    'Dieses Passwort ist zu kurz, zu lang (höchstens 72 Zeichen, Umlaute zählen doppelt) oder leicht zu ' +
    'erraten. Bitte nimm ein anderes.',
  same: 'Das ist dein bisheriges Passwort. Bitte wähle ein anderes.',
  current: 'Ohne den Link aus einer Mail geht das nur mit deinem jetzigen Passwort. Ändere es in deinem Konto.',
  failed: 'Das Passwort konnte nicht gespeichert werden. Bitte versuche es noch einmal.',
  expired: {
    title: 'Dieser Link gilt nicht mehr',
    text: 'Fordere einen neuen an. Es gilt immer nur der letzte.',
    onward: 'Neuen Link anfordern',
  },
  locked: { ...arrivalTexts.locked, onward: loginTexts.back },
} as const;

/** Texts around the captcha; the provider writes those of the widget. */
export const captchaTexts = {
  title: 'Sicherheitsabfrage',
  loading: 'Die Sicherheitsabfrage wird geladen...',
  notYet: 'Bitte warte, bis die Sicherheitsabfrage geladen ist, und versuche es dann noch einmal.',
  missing: 'Bitte beantworte zuerst die Sicherheitsabfrage.',
  expired: 'Die Sicherheitsabfrage ist abgelaufen. Bitte beantworte sie noch einmal.',
  failedTitle: 'Die Sicherheitsabfrage lädt nicht',
  failed:
    'Ohne sie geht es hier nicht weiter. ' +
    'Prüfe deine Internetverbindung und ob ein Werbeblocker oder Firmennetz sie sperrt.',
  reload: 'Noch einmal laden',
} as const;
