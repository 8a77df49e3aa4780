/**
 * §2.6, §8 to the letter; what has no source there is new (D20). Texts of recorder and transcription stand in their
 * features.
 */
export const texts = {
  heading: 'Sprachnachricht',
  lead: 'Erzähl in bis zu 5 Minuten, worum es geht. Wir machen einen Text daraus, den du danach bearbeiten kannst.',
  leadUntranscribed:
    'Erzähl in bis zu 5 Minuten, worum es geht. Hier wird gerade nicht mitgeschrieben: ' +
    'Deine Aufnahme wird eingereicht, und du schreibst danach kurz auf, worum es in ihr geht.',
  keptOnly: 'Deine Aufnahme ist erhalten geblieben. Mach ohne Transkript weiter, dann geht sie mit.',
  loading: 'Lade Informationen...',
  start: 'Aufnahme starten',
  stop: 'Aufnahme beenden',
  pause: 'Pause',
  resume: 'Fortsetzen',
  reset: 'Neue Aufnahme',
  previous: (length: string) => `Deine letzte Aufnahme (${length}) bleibt erhalten, bis die neue fertig ist.`,
  keepPrevious: 'Vorherige behalten',
  earlier: {
    title: {
      text: 'Zu deinem Beitrag gibt es schon einen Text',
      sent: 'Deine Aufnahme ist schon bei uns',
      waiting: 'Deine Aufnahme liegt im Ausgangskorb',
      none: 'Zu deinem Beitrag fehlt noch der Text',
    },
    there: { sent: 'Deine Aufnahme ist bei uns.', waiting: 'Deine Aufnahme liegt im Ausgangskorb.' },
    missing: 'Der Text dazu fehlt noch.',
    again: {
      transcribed: {
        text: 'Eine neue Aufnahme ersetzt den Text.',
        none: 'Aus einer neuen Aufnahme machen wir den Text.',
      },
      sent: {
        text: 'Eine neue kommt dazu, dein Text bleibt.',
        none: 'Eine neue Aufnahme kommt zur bisherigen dazu.',
      },
      waiting: {
        text: 'Eine neue ersetzt sie, dein Text bleibt.',
        none: 'Eine neue Aufnahme ersetzt die bisherige.',
      },
      none: {
        text: 'Eine neue Aufnahme kommt dazu, dein Text bleibt.',
        none: 'Schreib kurz auf, worum es geht.',
      },
    },
    go: 'Zum Transkript',
    write: 'Text dazu schreiben',
  },
  next: 'Weiter',
  nextTest: 'Hochladen & Transkribieren',
  uploading: 'Lädt hoch...',
  transcribing: 'Transkribiert...',
  transcribed: (done: string, total: string) => `Transkribiert: ${done} von ${total}`,
  quarter: (percent: number) => `${percent} Prozent transkribiert`,
  queued: (place: number) => `Platz ${place} in der Warteschlange`,
  soFar: 'Text bisher',
  cancel: 'Abbrechen',
  saving: 'Wird gespeichert...',
  progress: 'Upload-Fortschritt',
  download: 'Herunterladen',
  timer: 'Aufnahmedauer',
  of: 'von',
  position: 'Wiedergabe',
  state: {
    idle: 'Bereit zur Aufnahme',
    requesting: 'Mikrofon wird geöffnet...',
    recording: 'Aufnahme läuft',
    paused: 'Aufnahme pausiert',
    muted: 'Dein Mikrofon ist gerade stumm',
    stopping: 'Aufnahme wird abgeschlossen...',
    recorded: 'Aufnahme fertig',
    error: 'Keine Aufnahme möglich',
  },
  recoveredAt: (when: string, length: string) => `Vom ${when}, ${length} lang.`,
  restore: 'Damit weitermachen',
  discard: 'Verwerfen',
  transcript: 'Transkript',
  tooLarge: (size: string, limit: string) => ({
    title: 'Aufnahme zu groß',
    description: `Deine Aufnahme hat ${size}. Höchstens ${limit} sind möglich. Lade sie herunter oder sprich kürzer.`,
  }),
  localId: {
    title: 'Hinweis',
    description:
      'Es wird eine lokale Interview-ID verwendet, da keine Verbindung zur Datenbank hergestellt werden konnte.',
  },
  idProblem: { title: 'Fehler', description: 'Es gab ein Problem beim Laden oder Erstellen der Interview-ID.' },
  saved: { title: 'Erfolg', description: 'Das Transkript wurde erfolgreich gespeichert.' },
  notSaved: { title: 'Fehler', description: 'Das Transkript konnte nicht gespeichert werden.' },
  databaseError: { title: 'Fehler', description: 'Bei der Datenbankoperation ist ein Fehler aufgetreten.' },
  inOutbox: { title: 'Transkript gespeichert', description: 'Es liegt im Ausgangskorb und wird von selbst gesendet.' },
  handedIn: 'Deine Aufnahme wird zusammen mit dem Text eingereicht. Das Team kann sie sich anhören.',
  audioNotSent: {
    title: 'Aufnahme nicht mitgeschickt',
    description: 'Dein Text ist da, nur die Aufnahme fehlt. Du kannst einfach weitermachen.',
  },
  spoken: {
    title: 'Sprich in bis zu zwei Minuten',
    text: 'Daraus wird Text, den du vor dem Senden ändern kannst. Gesendet wird nur der Text.',
    convert: 'In Text umwandeln',
    full: 'Zwei Minuten sind voll.',
    write: 'Lieber schreiben',
    rejected: 'Dieser Link gilt nicht mehr. Deine Aufnahme bleibt auf diesem Gerät; lade die Seite neu.',
    kept: 'Deine Aufnahme ist erhalten geblieben. Du kannst es noch einmal versuchen oder schreiben.',
    rest: {
      title: 'Das Feld ist voll',
      text:
        'Diese Wörter passen nicht mehr hinein. Kürze deinen Text oben, dann kannst du sie anfügen. ' +
        'Deine Aufnahme bleibt so lange erhalten.',
      add: 'Rest anfügen',
    },
  },
  audioSent: { title: 'Aufnahme hochgeladen', description: 'Schreib jetzt auf, worum es in ihr geht.' },
  audioAdded: { title: 'Aufnahme hochgeladen', description: 'Dein Text ist noch da. Passt er auch zu ihr?' },
} as const;
