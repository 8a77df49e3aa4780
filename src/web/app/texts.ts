/** German texts of the shell: guards, header, footer, whole-screen states. */
export const appTexts = {
  initialising: 'Initialisiere...',
  loadingUser: 'Lade Benutzerdaten...',
  loadingScreen: 'Wird geladen...',
  accessDenied: {
    title: 'Zugriff verweigert',
    signedOut: 'Sie müssen angemeldet sein, um auf diesen Bereich zuzugreifen.',
    role: 'Sie haben keine Berechtigung für diesen Bereich.',
  },
  loggedOut: { title: 'Abgemeldet', description: 'Sie wurden erfolgreich abgemeldet.' },
  logout: 'Abmelden',
  home: 'Zur Startseite',
  findAccount: (username: string) => `Konto von ${username}`,
  signIn: 'Anmelden',
  navigation: {
    label: 'Navigation',
    items: {
      admin: 'Administration',
      inbox: 'Eingang',
      home: 'Start',
      new: 'Neuer Beitrag',
      own: 'Meine Beiträge',
    },
  },
  /** Where the dialog that says more cannot be loaded. */
  leaving: 'Dein Beitrag ist noch nicht abgesendet. Trotzdem gehen?',
  ownArea: 'Zum eigenen Bereich',
  back: 'Zurück',
  legal: 'Rechtliches',
  imprint: 'Impressum',
  privacy: 'Datenschutz',
  offline: {
    title: 'Der Server ist gerade nicht erreichbar',
    text: 'Prüfe deine Internetverbindung. Was du bereits eingegeben hast, bleibt auf diesem Gerät erhalten.',
    retrying: 'Verbinde...',
  },
  roleUnreachable: {
    title: 'Deine Benutzerdaten sind gerade nicht erreichbar',
    text: 'Du bist angemeldet. Sobald die Verbindung wieder steht, geht es hier weiter.',
  },
  crashed: {
    title: 'Diese Seite konnte nicht angezeigt werden',
    text: 'Lade die Seite neu. Was du bereits gespeichert hast, bleibt erhalten.',
    reload: 'Seite neu laden',
  },
} as const;
