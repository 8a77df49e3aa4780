const AGAIN = 'Starte die Aufnahme noch einmal.';
const RELOAD = 'Lade die Seite neu und starte die Aufnahme noch einmal.';

/** When what a day allows is there again, by the reader's clock: the server's days are those of UTC. */
export function formatNewDay(): string {
  const now = new Date();
  const begins = new Date(new Date(now).setUTCHours(24, 0, 0, 0));
  const time = begins.toLocaleTimeString('de-DE', { hour: '2-digit', minute: '2-digit' });
  return `${begins.getDate() === now.getDate() ? 'heute' : 'morgen'} um ${time} Uhr`;
}

/** German texts of all screens with a microphone. */
export const speechTexts = {
  input: 'Mikrofon',
  inputDefault: 'Standardmikrofon',
  allowTitle: 'So erlaubst du das Mikrofon:',
  allowMicrophone: {
    chrome: [
      'Klicke links neben der Adresse dieser Seite auf das Symbol.',
      'Stelle „Mikrofon“ auf „Zulassen“.',
      RELOAD,
    ],
    firefox: [
      'Klicke links neben der Adresse dieser Seite auf das durchgestrichene Mikrofon.',
      'Entferne die Blockierung mit dem Kreuz daneben.',
      AGAIN,
    ],
    safari: [
      'Öffne oben im Menü „Safari“ den Punkt „Einstellungen für diese Website“.',
      'Stelle „Mikrofon“ auf „Erlauben“.',
      RELOAD,
    ],
    iosSafari: [
      'Tippe neben der Adresse auf das Seitenmenü (aA) und dann auf „Website-Einstellungen“.',
      'Stelle „Mikrofon“ auf „Erlauben“.',
      RELOAD,
    ],
    iosOther: ['Öffne die Einstellungen deines Geräts und dort diesen Browser.', 'Schalte „Mikrofon“ ein.', RELOAD],
    android: [
      'Tippe links neben der Adresse auf das Symbol und dann auf „Berechtigungen“.',
      'Schalte „Mikrofon“ ein.',
      RELOAD,
    ],
    androidFirefox: [
      'Tippe links neben der Adresse auf das Schloss.',
      'Tippe bei „Mikrofon“ auf „Blockiert“, damit es erlaubt ist.',
      AGAIN,
    ],
  },
  allowOnDevice: 'Hilft das nicht, erlaube dem Browser das Mikrofon auch in den Einstellungen deines Geräts.',
} as const;
