import { LOCAL_TURN_S, type InstallErrorCode, type RecordingCheck, type TranscriptionSetup } from '#contract/setup.ts';
import type { SetupProblem } from '#web/backend/setup.ts';
import { formatBytes } from '#web/ui/format.ts';
import { formatDecimal } from './parts/check-texts.ts';

const percent = (share: number): string =>
  share.toLocaleString('de-DE', { style: 'percent', maximumFractionDigits: 0 });

/** /admin/einrichtung. */
export const setupTexts = {
  title: 'Einrichtung',
  lead: 'Was dieser Server schon kann, was noch fehlt, und wie du es einschaltest.',
  back: 'Zur Administration',
  loading: 'Wird geladen...',
  problems: {
    unreachable: 'Der Server ist gerade nicht erreichbar.',
    not_authenticated: 'Deine Anmeldung gilt nicht mehr. Melde dich neu an.',
    not_admin: 'Das dürfen nur Administratoren.',
    second_factor_needed: 'Bestätige zuerst deinen zweiten Faktor.',
    invalid_request: 'Der Server hat die Anfrage nicht verstanden. Lade die Seite neu.',
    unknown_model: 'Dieses Modell gibt es nicht mehr. Lade die Seite neu.',
    unknown_part: 'Diese Probe gibt es nicht mehr. Lade die Seite neu.',
    not_configured: 'Dieser Teil ist nicht mehr eingerichtet. Lade die Seite neu.',
    rate_limited: 'Das waren viele Proben kurz nacheinander. Warte eine Minute.',
    not_installed: 'Dieses Modell ist nicht mehr installiert.',
    install_running: 'Es wird schon ein Modell installiert.',
    check_running: 'Eine Probe läuft schon. Versuche es gleich noch einmal.',
    check_too_slow:
      `Nach ${LOCAL_TURN_S} Sekunden war die Aufnahme nicht verstanden. Kommt sie nicht nur hinter anderen Aufnahmen ` +
      'dran, ist der Rechner zu langsam: Im Interview muss man schreiben.',
    nothing_transcribes: 'Noch transkribiert nichts. Installiere zuerst ein Modell.',
    transcription_failed: 'Die Aufnahme konnte nicht transkribiert werden. Der Grund steht im Protokoll des Servers.',
    model_unusable: 'Das Modell ist beschädigt. Entferne es und installiere es neu.',
    engine_out_of_memory: 'Das Modell passt nicht in den freien Arbeitsspeicher. Nimm ein kleineres.',
    engine_missing: 'Für diesen Rechner gibt es die Spracherkennung nicht. Nimm einen Dienst (TRANSCRIPTION_URL).',
    engine_crashed: 'Die Spracherkennung ist abgestürzt. Versuche es noch einmal, sonst mit einem anderen Modell.',
    backend_failed: 'Der Server konnte das nicht prüfen. Versuche es noch einmal.',
    internal_error: 'Auf dem Server ist ein Fehler aufgetreten.',
  } satisfies Readonly<Record<SetupProblem, string>>,
} as const;

type About = Readonly<{ title: string; note: string }>;

/** Models that are not in this table are shown only with their name. */
const MODELS: Readonly<Record<string, About>> = {
  'parakeet-q8': {
    title: 'Parakeet',
    note: 'Mit Satzzeichen, für 25 Sprachen. Ab drei Prozessoren und 2 GB freiem Speicher.',
  },
  'parakeet-q4': { title: 'Parakeet, klein', note: 'Braucht weniger Speicher und macht etwas mehr Fehler.' },
  'whisper-turbo': {
    title: 'Whisper Turbo',
    note: 'Das genaueste Whisper hier, für die meisten Rechner und für Interviews zu langsam.',
  },
  'whisper-small': { title: 'Whisper Small', note: 'Kennt auch die Fachwörter aus SPEECH_GLOSSARY.' },
  'whisper-base': { title: 'Whisper Base', note: 'Für ein oder zwei Prozessoren; macht im Deutschen viele Fehler.' },
};

/** Who waits longer for the next question takes the conversation for broken. */
const PATIENCE_S = 10;

export const transcriptionTexts = {
  by: {
    service: 'Der Dienst, den TRANSCRIPTION_URL nennt, schreibt Sprachnachrichten auf. Er geht vor jedem Modell.',
    model: 'Ein Modell auf diesem Server schreibt Sprachnachrichten auf. Keine Aufnahme geht an Dritte.',
    nothing:
      'Auf diesem Server schreibt nichts Sprachnachrichten auf. Wo der Browser es nicht selbst kann, ' +
      'tippt man das Transkript.',
  },
  how:
    'Installiere unten ein Modell, oder trage in TRANSCRIPTION_URL die Adresse eines Dienstes ein und ' +
    'starte den Server neu.',
  models: 'Modelle',
  modelsText:
    'Ein Modell wird einmal heruntergeladen und liegt danach auf diesem Server. Benutzt wird das zuletzt installierte.',
  describe: (name: string): About => MODELS[name] ?? { title: name, note: '' },
  size: (bytes: number) => `${formatBytes(bytes)} Download`,
  memory: (bytes: number) => `etwa ${formatBytes(bytes)} Arbeitsspeicher`,
  recommended: 'Empfohlen',
  inUse: 'Ausgewählt',
  installed: 'Installiert',
  install: 'Installieren',
  resume: 'Fortsetzen',
  partial: (bytes: number) => `${formatBytes(bytes)} sind schon geladen`,
  use: 'Benutzen',
  remove: 'Entfernen',
  act: (action: string, model: string) => `${model}: ${action}`,
  cancel: 'Abbrechen',
  cancelling: 'Wird abgebrochen...',
  phases: { starting: 'Download beginnt', downloading: 'Wird heruntergeladen', verifying: 'Datei wird geprüft' },
  progress: (done: number, total: number) => `${formatBytes(done)} von ${formatBytes(total)}`,
  keepsOn: 'Du kannst diese Seite verlassen; der Download läuft weiter.',
  done: (model: string, by: TranscriptionSetup['by']) => ({
    title: `${model} ist installiert`,
    description: by === 'service' ? 'Benutzt wird es erst ohne TRANSCRIPTION_URL.' : 'Die nächste Aufnahme benutzt es.',
  }),
  removed: (model: string) => ({ title: `${model} ist entfernt`, description: 'Der Platz ist wieder frei.' }),
  removeTitle: (model: string) => `${model} entfernen?`,
  removeText: 'Die Datei wird gelöscht. Du kannst das Modell später wieder herunterladen.',
  failed: (model: string) => `${model} ist nicht installiert`,
  failures: {
    install_running: 'Ein anderer Prozess installiert dieses Modell gerade.',
    disk_full: 'Auf dem Datenträger ist zu wenig Platz.',
    source_unreachable: 'Die Quelle ist nicht erreichbar. Ein neuer Versuch setzt den Download fort.',
    source_refused: 'Die Quelle gibt die Datei nicht her.',
    wrong_sum: 'Die Datei ist nicht die erwartete. Sie wurde verworfen.',
    failed: 'Der Grund steht im Protokoll des Servers.',
  } satisfies Readonly<Record<InstallErrorCode, string>>,
  space: (needed: number, free: number) => `Gebraucht werden ${formatBytes(needed)}, frei sind ${formatBytes(free)}.`,
  check: 'Aufnahme prüfen',
  checking: 'Aufnahme wird transkribiert...',
  checkTitle: 'Probe',
  checkText: 'Transkribiert eine deutsche Aufnahme von acht Sekunden und vergleicht den Text mit dem gesprochenen.',
  heard: 'Verstanden',
  spoken: 'Gesprochen',
  nothingHeard: 'Nichts',
  errors: 'Falsche Wörter',
  formatErrors: ({ wordErrorRate }: RecordingCheck) => percent(wordErrorRate),
  speed: 'Dauer je Sekunde Aufnahme',
  interview: 'Im Interview',
  describeWait: ({ seconds }: RecordingCheck) => {
    const wait = `Nach einer Antwort von acht Sekunden wartet man etwa ${formatDecimal(seconds)} s`;
    return seconds > PATIENCE_S ? `${wait}. Das ist für ein Gespräch zu lang.` : `${wait}.`;
  },
  formatSpeed: ({ seconds, audioSeconds }: RecordingCheck) => `${formatDecimal(seconds / audioSeconds)} s`,
} as const;
