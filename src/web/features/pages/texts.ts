/** D8. The pages an installation shows until its operator names its own. */
export const legalTexts = {
  imprint: {
    title: 'Impressum',
    lead: 'Angaben zum Anbieter dieser Anwendung.',
  },
  privacy: {
    title: 'Datenschutz',
    lead: 'Wie diese Anwendung mit personenbezogenen Daten umgeht.',
  },
  operator: (association: string) => `Betreiber dieser Installation: ${association}`,
  missing: 'Diese Seite ist noch nicht hinterlegt',
  todo: 'Der Betreiber muss hier noch seine eigene Seite verlinken. Wende dich bis dahin direkt an ihn.',
} as const;

/** §2.13. */
export const noRoleTexts = {
  title: 'Keine Berechtigung',
  message: 'Ihrem Account wurde noch keine Rolle zugewiesen. Bitte kontaktieren Sie den Administrator.',
  signedInAs: 'Angemeldet als',
  refresh: 'Berechtigung aktualisieren',
  refreshing: 'Lade...',
  logout: 'Abmelden',
  stillNone: 'Es ist noch keine Rolle eingetragen.',
} as const;

/** §2.1: these two are English by specification. */
export const notFoundTexts = {
  code: '404',
  title: 'Oops! Page not found',
  home: 'Return to Home',
} as const;
