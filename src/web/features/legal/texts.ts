/** D8. The pages an installation shows until its operator names its own. */
export const legalTexts = {
  imprint: {
    title: 'Impressum',
    lead: 'Angaben zum Anbieter dieser Anwendung.',
    setting: 'BRAND_IMPRINT_URL',
  },
  privacy: {
    title: 'Datenschutz',
    lead: 'Wie diese Anwendung mit personenbezogenen Daten umgeht.',
    setting: 'BRAND_PRIVACY_URL',
  },
  operator: (association: string) => `Betreiber dieser Installation: ${association}`,
  missing: 'Diese Seite ist noch nicht hinterlegt',
  todo: (setting: string) => `Der Betreiber hinterlegt hier seine Seite, indem er ihre Adresse in ${setting} einträgt.`,
} as const;
