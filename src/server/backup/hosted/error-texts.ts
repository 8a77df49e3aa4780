/** What each failure of `npm run move-to-hosted` says. */
export const ERROR_TEXTS = {
  another_move: () => 'Auf dieses Ziel läuft schon ein Umzug. Warte, bis er fertig ist.',
  api_away: () =>
    'Das Ziel (SUPABASE_URL) antwortet nicht. Prüfe Adresse und Verbindung und starte den Befehl noch einmal.',
  api_failed: (answer) => `Das Ziel lehnt ab: ${answer}`,
  auth_triggers: (names) =>
    `Am Ziel würde bei jedem Konto ein Trigger auslösen: ${names}. Schalte ihn für die Dauer des Umzugs ab.`,
  columns_missing: (what) =>
    `Am Ziel fehlen Spalten: ${what}. Sein Aufbau ist ein anderer als der, den dieser Befehl kennt.`,
  database_away: () =>
    'Die Datenbank des Ziels (SUPABASE_DB_URL) antwortet nicht. Prüfe Adresse und Verbindung und starte ' +
    'den Befehl noch einmal.',
  database_failed: (reason) => `Eine Datenbank meldet einen Fehler: ${reason}`,
  database_refuses: (reason) => `Die Datenbank des Ziels lässt dich nicht hinein: ${reason}. Prüfe SUPABASE_DB_URL.`,
  file_differs: (name) =>
    `${name} ist am Ziel nicht dieselbe Datei. Starte den Befehl noch einmal; bleibt es dabei, lösche sie dort.`,
  file_refused: (reason) => `Das Ziel nimmt eine Datei nicht an: ${reason}`,
  file_too_large: (name) =>
    `${name} ist dem Ziel zu groß. Erhöhe dort unter Storage, Settings die Grenze für Dateien ` +
    'und starte den Befehl noch einmal.',
  migrations_unknown: (names) =>
    `Das Ziel kennt Migrationen, die es hier nicht gibt (${names}). Aktualisiere erst diesen Server.`,
  no_key: (table) => `${table} hat keinen Primärschlüssel; ihre Zeilen lassen sich nicht wiedererkennen.`,
  not_moved: () => 'Auf dieses Ziel ist noch nichts übertragen worden. Starte erst npm run move-to-hosted.',
  not_ours: (lines) => `Am Ziel liegt etwas, das dieser Umzug nicht überschreiben darf:\n${lines}\n${NOT_OURS_ADVICE}`,
  not_secret: (name) => `${name} ist nicht verschlüsselt. ${NOT_SECRET_ADVICE[name] ?? ''}`,
  not_trusted: (reason) =>
    `Zur Datenbank des Ziels kommt keine sichere Verbindung zustande: ${reason}. ` +
    (NOT_SECRET_ADVICE['SUPABASE_DB_URL'] ?? ''),
  other_project: (name) => `SUPABASE_URL und SUPABASE_DB_URL gehören nicht zum selben Projekt (${name}).`,
  pooler: () =>
    'SUPABASE_DB_URL ist der Transaction Pooler (Port 6543). Nimm den Session Pooler (Port 5432) oder ' +
    'die direkte Verbindung.',
  rights_missing: (tables) =>
    `Die Rolle in SUPABASE_DB_URL darf diese Tabellen nicht füllen: ${tables}. Nimm die Rolle postgres.`,
  settings_missing: (names) => `Es fehlen Angaben zum Ziel: ${names}.`,
  source_away: () => 'Die Datenbank dieses Servers (DATABASE_URL) antwortet nicht.',
  source_behind: (names) =>
    `Die Datenbank dieses Servers ist nicht auf dem Stand des Programms (${names}). Starte den Server einmal.`,
  stopped: () => 'Abgebrochen.',
  wrong_key: () => 'SUPABASE_SERVICE_KEY ist nicht der Service-Schlüssel dieses Projekts.',
} as const satisfies Readonly<Record<string, (detail: string) => string>>;
export type MoveErrorCode = keyof typeof ERROR_TEXTS;

const NOT_OURS_ADVICE =
  'Ist es entbehrlich, lösche es dort (oder nimm ein leeres Projekt) und starte den Befehl noch einmal.\n' +
  'Ist das Ziel schon in Betrieb, ist der Umzug vorbei: schließe ihn mit --finish ab.';

const NOT_SECRET_ADVICE: Readonly<Record<string, string>> = {
  SUPABASE_URL: 'Nimm die Adresse mit https.',
  SUPABASE_DB_URL:
    'Hänge ?sslmode=verify-full&sslrootcert=PFAD an; das Zertifikat gibt es im Dashboard unter Database, Settings.',
};
