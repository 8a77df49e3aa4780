import { parseArgs } from 'node:util';
import { formatBytes, UsageError } from '../../command.ts';
import type { SpeechErrorCode } from '../errors.ts';
import type { ModelError, ModelErrorCode } from '../models/catalogue.ts';
import type { ListedModel } from '../models/store.ts';

export type Command =
  | Readonly<{ kind: 'help' | 'list' }>
  | Readonly<{ kind: 'install'; name: string | undefined; file: string | undefined }>
  | Readonly<{ kind: 'remove'; name: string }>
  | Readonly<{ kind: 'check'; file: string | undefined }>;

/** Throws UsageError. */
export function readCommand(args: readonly string[]): Command {
  const { values, positionals } = parse(args);
  const [word, name, ...surplus] = positionals;
  if (values.help === true || word === 'help') return { kind: 'help' };
  if (word === undefined) throw new UsageError(MISSING);
  if (surplus[0] !== undefined) throw new UsageError(describeUnknown(surplus[0]));
  if (word !== 'install' && values.file !== undefined) throw new UsageError(describeUnknown('--file'));
  if (word === 'install') {
    if (values.file !== undefined && name === undefined) throw new UsageError(NAME_MISSING);
    return { kind: 'install', name, file: values.file };
  }
  if (word === 'remove') {
    if (name === undefined) throw new UsageError(NAME_MISSING);
    return { kind: 'remove', name };
  }
  if (word === 'check') return { kind: 'check', file: name };
  if (word !== 'list' || name !== undefined) throw new UsageError(describeUnknown(name ?? word));
  return { kind: 'list' };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { file: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
    });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : MISSING);
  }
}

/** Everything `npm run speech` prints. */
export const USAGE = `Spracherkennung auf diesem Rechner einrichten

  npm run speech -- list                        Modelle zeigen: Größe, Lizenz, was eingerichtet ist
  npm run speech -- install [NAME]              Modell herunterladen und benutzen; setzt einen Abbruch fort
  npm run speech -- install NAME --file DATEI   Modell aus einer Datei einrichten, ohne Netz
  npm run speech -- remove NAME                 Modell löschen
  npm run speech -- check [DATEI.wav]           Aufnahme transkribieren: Text, Fehler und Geschwindigkeit

Modelle liegen in DATA_DIR/models. Ein laufender Server benutzt ein neues Modell ab der nächsten Aufnahme.
`;

const MISSING = 'Es fehlt, was zu tun ist.';
const NAME_MISSING = 'Es fehlt der Name des Modells.';
const describeUnknown = (word: string): string => `Das wird nicht verstanden: ${word}`;
export const SERVICE_FIRST =
  'Hinweis: TRANSCRIPTION_URL ist gesetzt und geht vor. Das Modell wird erst ohne diese Einstellung benutzt.\n';

export function formatList(models: readonly ListedModel[]): string {
  return models.map(formatModel).join('\n');
}

function formatModel({ name, bytes, catalogue, isInUse, installed, partialBytes }: ListedModel): string {
  const partial = partialBytes > 0 ? `, ${formatBytes(partialBytes)} davon schon geladen` : '';
  const state = isInUse ? 'wird benutzt' : installed === undefined ? `nicht eingerichtet${partial}` : 'eingerichtet';
  const about =
    catalogue === undefined
      ? 'nicht mehr im Verzeichnis'
      : `Arbeitsspeicher etwa ${formatBytes(catalogue.memoryBytes)}\n  ${catalogue.attribution}, ${catalogue.licence}`;
  return `${name.padEnd(14)} ${formatBytes(bytes).padStart(8)}   ${state}\n  ${about}\n`;
}

export const describeInstalled = (name: string): string => `${name} ist eingerichtet und wird benutzt.\n`;
export const describeRemoved = (name: string): string => `${name} ist gelöscht.\n`;

const NOTHING_TRANSCRIBES =
  'Es ist weder ein Dienst noch ein Modell eingerichtet. `npm run speech -- install` lädt ein Modell.';

/** `audioS`: a service does not tell how long a recording is. */
type CheckResult = Readonly<Record<'wordErrorRate' | 'audioS', number | undefined> & { text: string; seconds: number }>;

export function formatCheck(source: string, { text, wordErrorRate, audioS, seconds }: CheckResult): string {
  const number = (value: number): string => value.toLocaleString('de-DE', { maximumFractionDigits: 2 });
  const errors = wordErrorRate === undefined ? '' : `Falsche Wörter: ${Math.round(wordErrorRate * 100)} %\n`;
  const speed = audioS && ` für ${number(audioS)} s Ton, also ${number(seconds / audioS)} s je Sekunde`;
  const heard = text === '' ? '(nichts verstanden)' : text;
  return `${source}\n\n${heard}\n\n${errors}Dauer: ${number(seconds)} s${speed ?? ''}\n`;
}

export function describeUnreadable(file: string): string {
  return `Die Datei ${file} gibt es nicht, oder dieses Konto darf sie nicht lesen.`;
}

export function describeSpeechError(code: SpeechErrorCode): string {
  return SPEECH_PROBLEMS[code] ?? `Die Aufnahme wurde nicht transkribiert (${code}).`;
}

const SPEECH_PROBLEMS: Partial<Record<SpeechErrorCode, string>> = {
  transcription_unavailable: NOTHING_TRANSCRIBES,
  audio_needs_wav: 'Diese Aufnahme hat ein Format, das der Server nicht liest. Nimm WAV oder Opus.',
  audio_too_long: 'Diese Aufnahme ist länger als eine Stunde.',
  service_rejected: 'Diese Aufnahme ist beschädigt.',
  model_unusable: 'Das Modell ist beschädigt oder von einer anderen Art. Lösche es und richte es neu ein.',
  engine_out_of_memory: 'Das Modell passt nicht in den freien Arbeitsspeicher. Nimm ein kleineres.',
  engine_missing:
    'Für diesen Rechner gibt es die Spracherkennung nicht (nur Linux mit glibc und macOS, x64 und arm64).',
  engine_crashed: 'Die Spracherkennung ist abgestürzt.',
};

const PROBLEMS: Readonly<Record<ModelErrorCode, string>> = {
  unknown_model: 'Dieses Modell gibt es nicht. `npm run speech -- list` zeigt alle.',
  not_installed: 'Dieses Modell ist nicht eingerichtet.',
  install_running: 'Dieses Modell wird gerade von einem anderen Prozess eingerichtet oder gelöscht.',
  disk_full: 'Auf dem Datenträger ist zu wenig Platz.',
  source_unreachable: 'Die Quelle ist nicht erreichbar. Derselbe Befehl setzt später fort, was schon da ist.',
  source_refused: 'Die Quelle gibt die Datei nicht her.',
  wrong_sum: 'Die Datei ist nicht die erwartete: Länge oder Prüfsumme stimmt nicht. Sie wird nicht benutzt.',
  file_unreadable: 'Die Datei kann nicht gelesen werden.',
  aborted: 'Abgebrochen. Derselbe Befehl setzt fort, was schon da ist.',
};

export function describeModelError({ code, details }: ModelError): string {
  const { neededBytes, freeBytes, status } = details;
  if (neededBytes !== undefined && freeBytes !== undefined) {
    return `${PROBLEMS[code]} Gebraucht werden ${formatBytes(neededBytes)}, frei sind ${formatBytes(freeBytes)}.`;
  }
  return status === undefined ? PROBLEMS[code] : `${PROBLEMS[code]} Antwort: ${status}.`;
}
