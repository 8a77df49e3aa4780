import { formatPieces } from '#contract/labels.ts';
import { formatBytes } from '../command.ts';

/** Everything `npm run backup` and `npm run restore` say. */
export const USAGE = `Sichern und wiederherstellen

  npm run backup -- DATEI     alles in eine neue Datei sichern, auch während der Server läuft
  npm run restore -- DATEI    eine Sicherung in eine leere Installation einspielen

Beide arbeiten auf DATA_DIR oder auf DATABASE_URL und S3_…, wie der Server selbst.
Die Sicherung enthält alle Schlüssel und Passwort-Hashes: Bewahre sie auf wie ein Passwort.
`;

export const ERROR_TEXTS = {
  archive_newer: (file) => `${file} stammt aus einer neueren Version. Aktualisiere erst den Server.`,
  backup_exists: (file) => `${file} gibt es schon. Nimm einen anderen Namen.`,
  busy: () => 'Es läuft schon eine Sicherung. Versuche es, wenn sie fertig ist.',
  damaged: (file) => `${file} ist beschädigt: Eine Prüfsumme stimmt nicht. Nimm eine andere Sicherung.`,
  database_failed: (reason) => `Die Datenbank meldet einen Fehler: ${reason}`,
  disk_full: (place) => `Kein Platz mehr auf ${place}. Schaffe Platz und starte den Befehl noch einmal.`,
  file_missing: (file) => `Die Datei ${file} gibt es nicht.`,
  file_unreadable: (name) =>
    `Die Datei ${name} lässt sich nicht lesen. Prüfe den Speicher und versuche es noch einmal.`,
  folder_missing: (folder) => `Den Ordner ${folder} gibt es nicht. Lege ihn an oder nimm einen anderen.`,
  hosted: () => 'SUPABASE_URL ist gesetzt: Ein gehostetes Projekt sichert sich mit seinen eigenen Mitteln.',
  migrations_unknown: (names) =>
    `Die Sicherung kennt Migrationen, die es hier nicht gibt (${names}). Aktualisiere erst den Server.`,
  no_archive: (file) => `${file} ist keine Sicherung dieses Programms.`,
  no_database: (place) => `In ${place} liegt keine Datenbank dieses Programms: Es gibt nichts zu sichern.`,
  not_empty: (place) =>
    `Das Ziel ist nicht leer (${place} oder seine Datenbank). Eine Sicherung kommt nur in eine leere Installation.`,
  not_ended: (file) =>
    `Alles ist eingespielt, nur ${file} ließ sich nicht entfernen. Starte den Befehl noch einmal, er schließt nur ab.`,
  server_runs: (folder) => `Auf ${folder} läuft ein Server. Halte ihn an und versuche es noch einmal.`,
  server_turns: (folder) => `Der Server auf ${folder} startet oder endet gerade. Versuche es gleich noch einmal.`,
  stopped: () => 'Abgebrochen.',
  store_away: () => 'Der Dateispeicher antwortet nicht. Prüfe S3_… und versuche es noch einmal.',
  truncated: (file) => `${file} ist unvollständig: Ihr Ende fehlt. Nimm eine andere Sicherung.`,
} as const satisfies Readonly<Record<string, (detail: string) => string>>;
export type BackupErrorCode = keyof typeof ERROR_TEXTS;

export const NOTHING_LEFT = {
  backup: 'Es ist keine Sicherung entstanden; am Server hat sich nichts geändert.',
  restore: 'Es ist nichts eingespielt worden.',
} as const;

export const draftRemoved = (file: string): string => `Der Rest einer abgebrochenen Sicherung ist entfernt: ${file}\n`;

/** The page 'Einrichtung' shows the last backup from that record. */
export const NOT_RECORDED =
  'Die Sicherung ist vollständig, steht aber nicht auf der Seite „Einrichtung“: DATA_DIR war nicht beschreibbar.\n';

type Counted = Readonly<{ tables: number; rows: number; files: number; bytes: number; seconds: number }>;

export function done(verb: 'gesichert' | 'eingespielt', file: string, counted: Counted): string {
  const { tables, rows, files, bytes, seconds } = counted;
  const stored = formatPieces(files, 'Datei', 'Dateien');
  const amount = `${number(tables)} Tabellen mit ${number(rows)} Zeilen und ${stored} (${formatBytes(bytes)})`;
  return `${amount} ${verb}, in ${number(Math.ceil(seconds))} s.\n${file}\n`;
}

export const ALREADY_RESTORED =
  'Die letzte Wiederherstellung war schon vollständig; nur ihr Abschluss fehlte. Starte den Server.\n';

export const restoredHint = (begun: string): string => `Prüfsummen stimmen. Starte jetzt den Server: npm start
Was seit ${begun} gelöscht wurde, ist wieder da: Lösche es noch einmal. Das Protokoll nennt es
(„desk: contribution erased“, „desk: account erased“).
`;

/** Names as many as the manifest holds. */
export function missingFiles(count: number, names: readonly string[]): string {
  const more = count > names.length ? `  … und ${number(count - names.length)} weitere\n` : '';
  const missing =
    count === 1 ? '1 Datei fehlt im Speicher und ist' : `${number(count)} Dateien fehlen im Speicher und sind`;
  return `${missing} nicht in der Sicherung:\n${list(names)}${more}`;
}

export function skippedTables(tables: readonly Readonly<{ name: string; rows: number }>[]): string {
  const lines = tables.map(({ name, rows }) => `${name} (${formatPieces(rows, 'Zeile', 'Zeilen')})`);
  return `Diese Tabellen macht keine Migration; ihre Zeilen bleiben in der Sicherung:\n${list(lines)}`;
}

export const list = (lines: readonly string[]): string => lines.map((line) => `  ${line}\n`).join('');
export const number = (value: number): string => value.toLocaleString('de-DE');
