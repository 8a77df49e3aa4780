import { formatNumber as format } from '#web/ui/format.ts';

/**
 * §2.7, §5 and §8 to the letter; `heading`, `lead`, `label`, `hint`, `overLimit`, `kept`, `inOutbox`, `listen` are new
 * (D20).
 */
export const texts = {
  heading: 'Transkript bearbeiten',
  lead: 'Lies den Text in Ruhe durch und korrigiere Namen und Fachbegriffe.',
  leadEmpty: 'Schreib auf, was du erzählt hast. Stichworte genügen.',
  label: 'Transkript',
  placeholder: 'Transkript bearbeiten...',
  contentId: 'Content-ID',
  next: 'Weiter zum Bild-Upload',
  saving: 'Wird gespeichert...',
  count: (length: number, limit: number) => `${format(length)} von ${format(limit)} Zeichen`,
  overLimit: (limit: number) => `Der Text ist zu lang. Höchstens ${format(limit)} Zeichen sind möglich.`,
  listen: 'Deine Aufnahme',
  none: { title: 'Keine Transkription vorhanden', description: 'Bitte nehmen Sie erst eine Sprachnachricht auf.' },
  nothing: { title: 'Keine Transkription vorhanden', description: 'Es gibt nichts zu speichern.' },
  noId: {
    title: 'Keine Content-ID',
    description: 'Der Prozess funktioniert möglicherweise nicht korrekt. Sie können trotzdem fortfahren.',
  },
  saved: { title: 'Erfolg', description: 'Das Transkript wurde erfolgreich gespeichert.' },
  kept: { title: 'Transkript gespeichert', description: 'Es liegt nur lokal in diesem Browser.' },
  inOutbox: { title: 'Transkript gespeichert', description: 'Es liegt im Ausgangskorb und wird von selbst gesendet.' },
  partial: {
    title: 'Speicherwarnung',
    description: 'Das Transkript konnte nicht vollständig gespeichert werden.',
  },
  failed: {
    title: 'Fehler beim Absenden',
    description: 'Es gab ein Problem beim Speichern des Transkripts. Bitte versuchen Sie es erneut.',
  },
} as const;
