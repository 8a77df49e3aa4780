import { formatNewDay } from '#web/speech/texts.ts';
import type { InterviewErrorCode } from './conversation/errors.ts';

/** §2.5, §4 and §8 to the letter; what has no source there is new (D20). */
export const texts = {
  topics: {
    'engineering-path': 'Dein Weg ins Ingenieurwesen',
    'behind-scenes': 'Hinter den Kulissen',
    'tech-dive': 'Technik im Detail',
    'free-topic': 'Freies Thema',
  },
  notes: {
    title: 'Bevor es losgeht',
    lead: 'Du sprichst mit einer KI. Mit diesen Hinweisen wird das Gespräch gut verständlich.',
    list: [
      { title: 'Ruhige Umgebung', text: 'Such dir einen Ort ohne laute Maschinen und ohne Gespräche im Hintergrund.' },
      { title: 'Headset benutzen', text: 'Damit hört sich der Assistent nicht selbst, und es entsteht kein Echo.' },
      { title: 'Keine Kamera nötig', text: 'Aufgenommen wird nur deine Stimme.' },
      {
        title: 'Der Assistent darf unterbrechen',
        text: 'Er fragt manchmal nach, während du sprichst. Erzähl dann einfach weiter.',
      },
      {
        title: 'Namen später berichtigen',
        text: 'Falsch verstandene Namen änderst du nach dem Gespräch im Transkript.',
      },
      { title: 'Telefon wach halten', text: 'Lass den Bildschirm an, sonst kann die Verbindung abbrechen.' },
    ],
    confirm: 'Ich habe die Hinweise gelesen',
  },
  title: (association: string) => `${association} Content-Interview-Bot`,
  headset: 'Setz am besten ein Headset auf, dann entsteht kein Echo.',
  topic: 'Thema',
  typing: 'Lieber schreiben statt sprechen',
  followUpHint: 'Die Schaltflächen für die nächsten Schritte erscheinen, sobald das Interview beendet ist.',
  edit: 'Transkript bearbeiten',
  toImages: 'Weiter zum Bild-Upload',
  cancel: 'Abbrechen',
  progress: 'Verbindung wird aufgebaut',
  timer: 'Interviewdauer',
  state: {
    idle: 'Bereit, wenn du es bist',
    preparing: 'Das Interview wird vorbereitet',
    connecting: 'Verbindung wird aufgebaut',
    listening: 'Der Interviewer hört dir zu',
    speaking: 'Der Interviewer spricht',
    muted: 'Dein Mikrofon ist stumm',
    silenced: 'Dein Mikrofon ist gerade stumm',
    writing: 'Du bist dran',
    ended: 'Das Interview ist beendet',
    error: 'Keine Verbindung',
  },
  hint: {
    idle: 'Wenn du startest, fragt dein Browser nach dem Mikrofon. Erlaube den Zugriff.',
    connecting: 'Das dauert nur einen Moment.',
    listening: 'Sprich einfach los. Kurze Pausen zum Nachdenken sind kein Problem.',
    speaking: 'Du kannst jederzeit dazwischensprechen.',
    speakingDeaf: 'Danach bist du dran.',
    muted: 'Du kannst weiter schreiben oder das Mikrofon wieder einschalten.',
    silenced: 'Dein Gerät gibt keinen Ton weiter, zum Beispiel während eines Anrufs. Schreiben kannst du auch jetzt.',
    writing: 'Schreib deine Antwort unten in das Feld.',
    ended: 'Lies dein Transkript durch, oder mach direkt weiter.',
    error: '',
  },
  mute: 'Mikrofon stumm schalten',
  unmute: 'Mikrofon einschalten',
  muteShort: 'Stumm',
  unmuteShort: 'Einschalten',
  sound: 'Ton und Mikrofon',
  volume: 'Lautstärke',
  write: { label: 'Antwort schreiben', placeholder: 'Antwort schreiben...', send: 'Senden' },
  unsent: {
    notice: 'Deine letzte Antwort ist noch nicht angekommen. Sie steht unten im Feld und geht nicht verloren.',
    label: 'Noch nicht angekommen',
    hint: 'Setzt du das Interview fort, kannst du sie senden. Machst du weiter, steht sie am Ende des Transkripts.',
  },
  panel: {
    title: 'Interview Transkript',
    placeholder: 'Transkript bearbeiten...',
    empty: 'Kein Transkript verfügbar',
    emptyHint: 'Was ihr sagt, erscheint hier, während ihr sprecht.',
    copy: 'Kopieren',
    edit: 'Bearbeiten',
    save: 'Speichern',
    saving: 'Wird gespeichert...',
    discard: 'Verwerfen',
    log: 'Gespräch',
    agent: 'Interviewer',
    user: 'Du',
    like: 'Gute Frage',
    dislike: 'Unpassende Frage',
  },
  error: 'Verbindungsfehler. Bitte versuchen Sie es erneut.',
  interrupted: 'Dein Interview ist noch nicht zu Ende.',
  resume: 'Interview fortsetzen',
  kept: 'Alles bisher Gesagte ist gesichert. Setz das Interview fort, oder mach mit dem weiter, was schon da ist.',
  copied: { title: 'In die Zwischenablage kopiert', description: 'Transkript wurde in die Zwischenablage kopiert.' },
  notCopied: { title: 'Fehler', description: 'Das Transkript konnte nicht kopiert werden.' },
  edited: { title: 'Änderungen gespeichert', description: 'Transkript wurde erfolgreich aktualisiert.' },
  nothing: { title: 'Keine Transkription vorhanden', description: 'Es gibt nichts zu speichern.' },
  saved: { title: 'Erfolg', description: 'Das Transkript wurde erfolgreich gespeichert.' },
  updated: { title: 'Transkript aktualisiert', description: 'Auch das neu Gesagte ist gespeichert.' },
  inOutbox: { title: 'Transkript gespeichert', description: 'Es liegt im Ausgangskorb und wird von selbst gesendet.' },
  keptLocally: { title: 'Transkript gespeichert', description: 'Es liegt nur lokal in diesem Browser.' },
  notSaved: { title: 'Fehler', description: 'Das Transkript konnte nicht gespeichert werden.' },
  databaseError: { title: 'Fehler', description: 'Bei der Datenbankoperation ist ein Fehler aufgetreten.' },
  localId: {
    title: 'Hinweis',
    description:
      'Es wird eine lokale Interview-ID verwendet, da keine Verbindung zur Datenbank hergestellt werden konnte.',
  },
  idProblem: { title: 'Fehler', description: 'Es gab ein Problem beim Laden oder Erstellen der Interview-ID.' },
  description: {
    context: { image: 'Es geht um ein Bild.', video: 'Es geht um ein Video.' },
  },
} as const;

/** Reason and remedy, shown under §4's sentence. */
export const ERROR_TEXTS: Readonly<Record<InterviewErrorCode, string>> = {
  connection: 'Prüfe deine Internetverbindung.',
  timeout: 'Der Verbindungsaufbau hat zu lange gedauert.',
  dropped: 'Die Verbindung ist unterbrochen worden.',
  interrupted: 'Die Seite wurde mitten im Gespräch neu geladen oder verlassen.',
  service: 'Der Interviewer ist gerade nicht erreichbar. Versuch es in ein paar Minuten noch einmal.',
  limit: 'Das Gespräch war sehr lang oder lange still und ist deshalb beendet worden.',
  busy: 'Gerade laufen sehr viele Interviews. Versuch es in ein paar Minuten noch einmal.',
  get 'used-up'() {
    return `Die Interviewzeit eines Tages ist verbraucht. Ab ${formatNewDay()} geht es wieder.`;
  },
  'too-many':
    'Von dir oder in deinem Netz laufen schon Interviews. Beende eins davon, oder versuch es in einer Minute noch einmal.',
  refused: 'Dein Zugang erlaubt dieses Interview gerade nicht. Melde dich neu an.',
  'microphone-denied':
    'Mikrofon-Zugriff wurde verweigert. Erlaube ihn in den Einstellungen deines Browsers, oder führe das ' +
    'Interview schriftlich.',
  'microphone-missing': 'Es wurde kein Mikrofon gefunden. Schließ eines an, oder führe das Interview schriftlich.',
  'microphone-broken':
    'Das Mikrofon lässt sich nicht öffnen. Vielleicht verwendet es gerade ein anderes Programm. Du ' +
    'kannst auch schreiben.',
  unsupported: 'Dein Browser erlaubt hier keinen Zugriff auf ein Mikrofon. Führe das Interview schriftlich.',
};

/** §4 'Voice interview connection', to the letter: the one button in each state. */
export const mainButtonTexts = {
  idle: 'Interview starten',
  preparing: 'Wird vorbereitet...',
  connecting: 'Verbinde...',
  connected: 'Interview beenden',
  ended: 'Interview wiederholen',
  error: 'Erneut versuchen',
} as const;
