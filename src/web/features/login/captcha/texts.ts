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
