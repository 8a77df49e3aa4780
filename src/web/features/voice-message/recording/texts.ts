import type { RecorderErrorCode, RecorderNotice } from './state.ts';

export type Message = Readonly<{ title: string; description?: string; destructive: boolean }>;

const NO_RECORDING = 'Bitte nehmen Sie zuerst eine Sprachnachricht auf.';

/** §8 'Recording and transcription', to the letter; the rest continues its Sie (D20). */
export const RECORDING_TEXTS = {
  started: 'Aufnahme gestartet',
  stopped: 'Aufnahme beendet',
  initialising: 'Audioinitialisierung läuft noch...',
  /** §5: generic and test variant. */
  noRecording: { title: 'Keine Aufnahme vorhanden', description: NO_RECORDING, destructive: true },
  noRecordingTest: { title: 'Keine Aufnahme', description: NO_RECORDING, destructive: true },
  autoStopped: 'Die Höchstdauer von 5 Minuten ist erreicht.',
  recoveredTitle: 'Unfertige Aufnahme gefunden',
  recoveredText: 'Sie ist auf diesem Gerät gesichert. Du kannst mit ihr weitermachen oder sie verwerfen.',
  notKept: 'Die Aufnahme kann auf diesem Gerät nicht zwischengesichert werden. Bitte schließe die Seite nicht.',
} as const;

export const ERROR_TEXTS: Readonly<Record<RecorderErrorCode, string>> = {
  unsupported:
    'Ihr Browser unterstützt keine Audioaufnahme. Bitte verwenden Sie einen ' +
    'aktuellen Browser wie Chrome, Firefox oder Edge.',
  permission: 'Mikrofon-Zugriff wurde verweigert',
  'no-microphone': 'Es wurde kein Mikrofon gefunden. Bitte schließen Sie ein Mikrofon an und versuchen Sie es erneut.',
  microphone:
    'Auf das Mikrofon kann nicht zugegriffen werden. Bitte prüfen Sie, ob ein anderes Programm es gerade verwendet.',
  'audio-init': 'Problem mit der Audioinitialiserung. Laden Sie die Seite neu.',
  start: 'Die Aufnahme konnte nicht gestartet werden. Bitte versuchen Sie es erneut.',
  recording: 'Bei der Aufnahme ist ein Fehler aufgetreten. Bitte versuchen Sie es erneut.',
  stop: 'Die Aufnahme konnte nicht beendet werden. Bitte versuchen Sie es erneut.',
  processing: 'Die Aufnahme konnte nicht verarbeitet werden. Bitte nehmen Sie sie erneut auf.',
};

/** Shown instead where the recording so far was kept: then nothing has to be done again. */
const KEPT = 'Die Aufnahme wurde unterbrochen. Was bis dahin aufgenommen wurde, ist erhalten geblieben.';

/** What the recorder reports, in words. */
export function getMessage(notice: RecorderNotice): Message {
  if (notice.type === 'error') {
    return { title: 'Fehler', description: notice.kept ? KEPT : ERROR_TEXTS[notice.code], destructive: true };
  }
  const title = RECORDING_TEXTS[notice.type];
  const full = notice.type === 'stopped' && notice.automatic;
  return full ? { title, description: RECORDING_TEXTS.autoStopped, destructive: false } : { title, destructive: false };
}
