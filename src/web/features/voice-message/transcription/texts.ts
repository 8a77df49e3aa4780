import { TRANSCRIPTION_TIMEOUT_MS } from '#contract/limits.ts';
import { formatNewDay } from '#web/speech/texts.ts';
import type { TranscriptionError, TranscriptionErrorKind } from './transcribe.ts';

/** §8 'Recording and transcription', to the letter. */
export const TRANSCRIPTION_TEXTS = {
  /** Toast title. */
  title: 'Transkriptionsfehler',
  /** Heading of the alert that stays on the screen. */
  alert: 'Fehler bei der Transkription',
  fallback: 'Transkription ist fehlgeschlagen',
  failed: {
    title: 'Transkription fehlgeschlagen',
    description: 'Die Sprachnachricht konnte nicht verarbeitet werden.',
  },
  uploadFailed: {
    title: 'Upload fehlgeschlagen',
    description: 'Es gab ein Problem beim Verarbeiten Ihrer Sprachnachricht.',
  },
  /** Under every error (D21). */
  kept: 'Deine Aufnahme ist erhalten geblieben. Du kannst es noch einmal versuchen oder ohne Transkript weitermachen.',
  withoutTranscript: 'Ohne Transkript weiter',
} as const;

const MESSAGES: Readonly<Record<TranscriptionErrorKind, (error: TranscriptionError) => string>> = {
  unavailable: () => 'Zurzeit ist kein Transkriptionsdienst eingerichtet.',
  'missing-key': () => 'Für den Transkriptionsdienst ist kein gültiger Schlüssel hinterlegt.',
  timeout: () =>
    `Der Transkriptionsdienst hat nicht innerhalb von ${TRANSCRIPTION_TIMEOUT_MS / 1_000} Sekunden geantwortet.`,
  network: () => 'Es besteht keine Verbindung. Prüfe dein Netz und versuche es noch einmal.',
  'too-large': () => 'Die Aufnahme ist zu groß für den Transkriptionsdienst.',
  unsupported: () => 'Das Format der Aufnahme wird nicht unterstützt.',
  'needs-wav': () => 'Das Format der Aufnahme wird nicht unterstützt.',
  busy: () => 'Gerade warten schon zu viele Aufnahmen. Versuche es in ein paar Minuten noch einmal.',
  'used-up': () => `Die Transkriptionen eines Tages sind verbraucht. Ab ${formatNewDay()} geht es wieder.`,
  'too-long': () => 'Die Aufnahme ist länger als eine Stunde. Nimm sie in Teilen auf.',
  model: () => 'Das Sprachmodell dieses Servers ist beschädigt. Wer ihn betreut, muss es neu installieren.',
  memory: () => 'Der Server hat gerade zu wenig Speicher für die Spracherkennung. Versuche es später noch einmal.',
  'no-engine': () => 'Auf diesem Server läuft die Spracherkennung nicht.',
  crash: () => 'Die Spracherkennung dieses Servers ist abgestürzt. Versuche es noch einmal.',
  rejected: () => 'Deine Anmeldung gilt nicht mehr. Melde dich neu an; die Aufnahme bleibt auf diesem Gerät.',
  empty: () => 'In der Aufnahme wurde keine Sprache erkannt. Hör sie dir an oder nimm sie neu auf.',
  service: serviceMessage,
  aborted: () => TRANSCRIPTION_TEXTS.fallback,
};

/** What the user reads; never empty. */
export function transcriptionMessage(error: TranscriptionError): string {
  return MESSAGES[error.kind](error);
}

function serviceMessage({ message, status, statusText, retryAfterS }: TranscriptionError): string {
  const said = message?.trim() ?? '';
  if (said !== '') return said;
  if (status === 429 && retryAfterS !== undefined) return waitMessage(retryAfterS);
  if (status === undefined) return TRANSCRIPTION_TEXTS.fallback;
  return `Fehler bei der Transkription: ${status} ${statusText ?? ''}`.trimEnd();
}

function waitMessage(seconds: number): string {
  const wait =
    seconds < 120 ? `${seconds} ${seconds === 1 ? 'Sekunde' : 'Sekunden'}` : `${Math.ceil(seconds / 60)} Minuten`;
  return `Gerade sind zu viele Aufnahmen in Arbeit. Versuche es in ${wait} noch einmal.`;
}
