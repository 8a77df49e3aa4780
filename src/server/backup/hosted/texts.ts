import { formatName } from '#backend/maintenance.ts';
import { formatBytes } from '../../command.ts';
import { ERROR_TEXTS as BACKUP_ERROR_TEXTS, list, number } from '../texts.ts';
import type { BackupError } from '../errors.ts';
import type { Conflict } from './rows.ts';
import { agrees, type Compared } from './compare.ts';
import { ERROR_TEXTS } from './error-texts.ts';
import { MoveError } from './errors.ts';
import type { Plan } from './move.ts';

/** Everything `npm run move-to-hosted` says. */
export const USAGE = `Zu einem gehosteten Supabase-Projekt umziehen

  npm run move-to-hosted                   Konten, Beiträge und Dateien übertragen; beliebig oft wiederholbar
  npm run move-to-hosted -- --dry-run      nur zeigen, was geschähe
  npm run move-to-hosted -- --compare      beide Seiten vergleichen, Byte für Byte
  npm run move-to-hosted -- --finish       Umzug abschließen: die Merkliste am Ziel löschen

Quelle ist dieser Server (DATA_DIR oder DATABASE_URL und S3_…), ob er läuft oder steht.
Ziel sind SUPABASE_URL, SUPABASE_SERVICE_KEY und SUPABASE_DB_URL aus der Umgebung.
Die Anleitung mit allen Schritten steht in docs/hosted-supabase.md.
`;

export function describeError(error: MoveError | BackupError): string {
  return error instanceof MoveError
    ? ERROR_TEXTS[error.code](error.detail)
    : BACKUP_ERROR_TEXTS[error.code](error.detail);
}

/** After a failure. Which of them: whether rows had gone over already. */
export const LEFT_AS = {
  untouched: 'Am Ziel hat sich nichts geändert.',
  begun:
    'Was schon übertragen ist, bleibt dort; der nächste Lauf macht damit weiter. An der Quelle hat sich ' +
    'nichts geändert.',
} as const;

const STRANGE: Readonly<Record<string, string>> = {
  foreign: 'nicht von hier',
  changed: 'dort seit der Übertragung geändert worden',
  gone: 'dort seit der Übertragung gelöscht worden',
};

export function describeConflict({ kind, where, count, names }: Conflict): string {
  const [file, row, is, comes] =
    count === 1 ? ['Datei', 'Zeile', 'ist', 'stammt'] : ['Dateien', 'Zeilen', 'sind', 'stammen'];
  const what = where === 'files' ? file : `${row} in ${where}`;
  const more = count > names.length ? ', …' : '';
  return `  ${number(count)} ${what} ${kind === 'foreign' ? comes : is} ${STRANGE[kind]}: ${names.join(', ')}${more}`;
}

export function planned({ migrations, tables, files, countWaitingMails }: Plan, mode: 'would' | 'does'): string {
  const rows = tables.filter(({ counts: { insert, update, delete: gone } }) => insert + update + gone > 0);
  const { tasks, remove, same } = files;
  return [
    mode === 'would' ? 'Probelauf: Es wird nichts geändert.\n' : '',
    `Migrationen: ${migrations.length === 0 ? 'alle schon da' : `${number(migrations.length)} kommen hinzu`}\n`,
    rows.length === 0 ? 'Zeilen: alle schon da\n' : 'Zeilen:\n',
    ...rows.map(({ table, counts }) => `  ${formatName(table)}: ${rowCounts(counts)}\n`),
    `Dateien: ${number(tasks.length)} zu übertragen${formatAmount(tasks)}, ${number(remove.length)} zu löschen, ${number(same)} schon da\n`,
    countWaitingMails === 0 ? '' : heldBack(countWaitingMails),
  ].join('');
}

function formatAmount(tasks: Plan['files']['tasks']): string {
  const sizes = tasks.map(({ file }) => file.bytes);
  if (sizes.length === 0) return '';
  const all = sizes.reduce((sum, bytes) => sum + bytes, 0);
  return ` (${formatBytes(all)}, die größte ${formatBytes(sizes[0] ?? 0)})`;
}

function rowCounts({ insert, update, delete: gone }: Plan['tables'][number]['counts']): string {
  const parts = [
    [insert, 'neu'],
    [update, 'geändert'],
    [gone, 'gelöscht'],
  ] as const;
  return parts
    .filter(([count]) => count > 0)
    .map(([count, word]) => `${number(count)} ${word}`)
    .join(', ');
}

function heldBack(count: number): string {
  const [wait, move] = count === 1 ? ['1 Mail wartet', 'zieht'] : [`${number(count)} Mails warten`, 'ziehen'];
  return (
    `${wait} noch auf den Versand durch diesen Server. Halte ihn an und starte den Befehl noch einmal: ` +
    `Dann ${move} sie mit um.\n`
  );
}

export const ROWS_MOVED = 'Konten und Zeilen sind übertragen.\n';
export const bucketsMoved = (names: readonly string[]): string => `Buckets eingerichtet: ${names.join(', ')}\n`;
export const fileMoved = (done: number, total: number): string => `Datei ${number(done)} von ${number(total)}\n`;
export const FINISHED = 'Der Umzug ist abgeschlossen; die Merkliste am Ziel ist gelöscht.\n';

export function missingFiles(names: readonly string[]): string {
  const missing =
    names.length === 1 ? ['1 Datei fehlt', 'konnte'] : [`${number(names.length)} Dateien fehlen`, 'konnten'];
  return `${missing.join(' im Speicher der Quelle und ')} nicht umziehen:\n${list(names)}`;
}

/** One line a table, and under it what differs. */
export function comparison(compareAll: readonly Compared[]): string {
  const width = Math.max(...compareAll.map((one) => formatCompared(one).length));
  const line = (name: string, cells: readonly string[]): string =>
    `  ${name.padEnd(width)}${cells.map((cell) => cell.padStart(10)).join('')}\n`;
  const body = compareAll.map((one) => {
    const cells = [number(one.here), number(one.there), number(one.same)];
    const different = agrees(one) ? '' : `    verschieden: ${one.examples.join(', ')}\n`;
    return line(formatCompared(one), cells) + different;
  });
  return `Vergleich:\n${line('', ['Quelle', 'Ziel', 'gleich'])}${body.join('')}`;
}

export const ALL_SAME = 'Beide Seiten sind gleich.\n';
export const NOT_SAME = 'Die beiden Seiten sind nicht gleich.\n';

function formatCompared({ what }: Compared): string {
  if (what.kind === 'table') return what.name;
  return what.kind === 'accounts' ? 'Konten, wie das Ziel sie liest' : 'Dateien (Größe, Art, SHA-256)';
}

/** What to set where the server starts from now on. The keys are named, not shown. */
export function settings(url: string): string {
  return `Einstellungen des Servers nach dem Umzug:
  SUPABASE_URL=${url}
  SUPABASE_KEY=…            Publishable Key (Dashboard: Settings, API Keys)
  SUPABASE_SERVICE_KEY=…    derselbe Service-Schlüssel wie eben
  entfallen: DATABASE_URL, DATABASE_POOL, DATABASE_STATEMENT_S, DATABASE_WAIT_S, S3_…, SUPABASE_DB_URL
  gelten am Ziel anders: supabase/config.toml, AUTH_RATE_LIMIT, MEDIA_BUCKET_PUBLIC, OPEN_CONTRIBUTIONS, MFA_REQUIRED_ROLES
Alle müssen sich neu anmelden, mit dem Passwort von bisher. Das Weitere steht in docs/hosted-supabase.md.
`;
}
