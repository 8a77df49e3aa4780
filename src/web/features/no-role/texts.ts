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
