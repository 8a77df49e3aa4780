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
