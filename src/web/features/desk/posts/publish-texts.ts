/** 'Veröffentlicht': where a post stands in its channel. */
export const publishTexts = {
  title: 'Wo steht der Post?',
  text: 'Die Person sieht diese Adresse auf ihrer Freigabeseite.',
  url: 'Adresse',
  hint: 'Zum Beispiel https://www.linkedin.com/posts/…',
  missing: 'Bitte trag die Adresse ein.',
  wrong: 'Das ist keine vollständige Adresse. Sie beginnt mit https://',
  unsaved: {
    title: 'Im Feld steht Ungespeichertes',
    text:
      'Veröffentlicht wird der freigegebene Text. Soll dein neuer hinaus, brich hier ab, speichere ihn und ' +
      'sende ihn noch einmal zur Freigabe.',
  },
  meanwhile: {
    title: 'Jemand anderes war schneller',
    text: (url: string) => `Dieser Post steht inzwischen unter ${url}. Speicherst du, gilt deine Adresse.`,
  },
  confirm: 'Als veröffentlicht speichern',
  at: 'Veröffentlicht unter',
} as const;
