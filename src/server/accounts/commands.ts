import { parseArgs } from 'node:util';
import type { SupabaseClient } from '@supabase/supabase-js';
import { readAddress } from '#contract/addresses.ts';
import { isRole, type Role, ROLES } from '#contract/roles.ts';
import { UsageError } from '../command.ts';
import {
  addAccount,
  changeLogin,
  generatePassword,
  listAccounts,
  removeAccount,
  removeFactors,
  setRole,
  type Account,
} from './accounts.ts';

/** Without a password one is generated. */
export type Command =
  | Readonly<{ kind: 'add'; email: string; role: Role; password: string | undefined }>
  | Readonly<{ kind: 'role'; email: string; role: Role }>
  | Readonly<{ kind: 'email'; email: string; next: string }>
  | Readonly<{ kind: 'password'; email: string; password: string | undefined }>
  | Readonly<{ kind: 'factors'; email: string }>
  | Readonly<{ kind: 'list' }>
  | Readonly<{ kind: 'remove'; email: string }>
  | Readonly<{ kind: 'help' }>;

export const USAGE = `Konten verwalten

  npm run user -- add E-MAIL ROLLE [--password PASSWORT]   Konto anlegen
  npm run user -- role E-MAIL ROLLE                        Rolle ändern
  npm run user -- email E-MAIL NEUE-E-MAIL                 Adresse ändern, ohne Bestätigung
  npm run user -- password E-MAIL [--password PASSWORT]    neues Passwort setzen, alle Sitzungen enden
  npm run user -- factors E-MAIL                           zweite Faktoren entfernen (verlorenes Gerät)
  npm run user -- list                                     Konten zeigen
  npm run user -- remove E-MAIL                            Konto löschen

Rollen: ${ROLES.join(', ')}
Ohne --password wird ein Passwort erzeugt und einmal angezeigt.

Der Befehl arbeitet auf DATA_DIR (auch während der Server läuft), auf DATABASE_URL
oder mit SUPABASE_URL und SUPABASE_SERVICE_KEY auf einem gehosteten Backend.
`;

/** Throws UsageError. */
export function readCommand(args: readonly string[]): Command {
  const { words, password } = splitArguments(args);
  const [kind, ...rest] = words;
  const [email = '', second = ''] = rest;
  switch (kind) {
    case 'add':
      expectCount(rest, 2);
      return { kind, email: parseEmail(email), role: parseRole(second), password };
    case 'role':
      expectCount(rest, 2);
      return { kind, email: parseEmail(email), role: parseRole(second) };
    case 'email':
      expectCount(rest, 2);
      return { kind, email: parseEmail(email), next: parseEmail(second) };
    case 'password':
      expectCount(rest, 1);
      return { kind, email: parseEmail(email), password };
    case 'factors':
    case 'remove':
      expectCount(rest, 1);
      return { kind, email: parseEmail(email) };
    case 'list':
      expectCount(rest, 0);
      return { kind };
    case 'help':
      return { kind };
    default:
      throw new UsageError(kind === undefined ? 'Es fehlt, was zu tun ist.' : `Unbekannter Befehl: ${kind}`);
  }
}

function splitArguments(args: readonly string[]): { words: string[]; password: string | undefined } {
  try {
    const options = { password: { type: 'string' }, help: { type: 'boolean', short: 'h' } } as const;
    const { positionals, values } = parseArgs({ args: [...args], options, allowPositionals: true });
    return { words: values.help === true ? ['help'] : positionals, password: values.password };
  } catch (cause) {
    throw new UsageError('Eine Angabe wird nicht verstanden.', { cause });
  }
}

function expectCount(words: readonly string[], count: number): void {
  if (words.length < count) throw new UsageError('Es fehlen Angaben.');
  if (words.length > count) throw new UsageError('Es sind zu viele Angaben.');
}

function parseEmail(text: string): string {
  const address = readAddress(text).toLowerCase();
  if (/^[^\s@]+@[^\s@]+$/.test(address)) return address;
  throw new UsageError(`Das ist keine E-Mail-Adresse: ${text}`);
}

function parseRole(text: string): Role {
  if (isRole(text)) return text;
  throw new UsageError(`Unbekannte Rolle: ${text}. Es gibt ${ROLES.join(', ')}.`);
}

/** Returns the message to print, which shows a password only where it was generated. Throws AccountError. */
export async function runCommand(
  supabase: SupabaseClient,
  command: Exclude<Command, { kind: 'help' }>,
): Promise<string> {
  switch (command.kind) {
    case 'add': {
      const password = command.password ?? generatePassword();
      await addAccount(supabase, { email: command.email, role: command.role, password });
      return `Konto ${command.email} angelegt, Rolle ${command.role}.\n${showGenerated(command.password, password)}`;
    }
    case 'role':
      await setRole(supabase, command.email, command.role);
      return `Konto ${command.email} hat jetzt die Rolle ${command.role}.\n`;
    case 'email':
      await changeLogin(supabase, command.email, { email: command.next });
      return `Das Konto ${command.email} hat jetzt die Adresse ${command.next}.\n`;
    case 'password': {
      const password = command.password ?? generatePassword();
      await changeLogin(supabase, command.email, { password });
      return `Neues Passwort für ${command.email} gesetzt; alle Sitzungen sind beendet.\n${showGenerated(command.password, password)}`;
    }
    case 'factors': {
      const count = await removeFactors(supabase, command.email);
      return `Zweite Faktoren von ${command.email} entfernt: ${count}. Zum Anmelden genügt wieder das Passwort.\n`;
    }
    case 'remove':
      await removeAccount(supabase, command.email);
      return `Konto ${command.email} gelöscht.\n`;
    default:
      return formatAccounts(await listAccounts(supabase));
  }
}

function showGenerated(given: string | undefined, password: string): string {
  return given === undefined ? `Passwort (nur jetzt angezeigt): ${password}\n` : '';
}

function formatAccounts(accounts: readonly Account[]): string {
  if (accounts.length === 0) return 'Es gibt noch kein Konto.\n';
  const rows = accounts.map(({ email, role, lastSignIn, banned }) => [
    email,
    role ?? '(keine)',
    lastSignIn?.slice(0, 16).replace('T', ' ') ?? 'nie',
    banned ? 'gesperrt' : '',
  ]);
  return `${formatTable(['E-Mail', 'Rolle', 'Letzte Anmeldung (UTC)', ''], rows).join('\n')}\n`;
}

/** Formats lines for a terminal, with columns as wide as their widest cell. */
export function formatTable(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const widths = head.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd();
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)];
}
