import { parseArgs } from 'node:util';
import { isRole, ROLES, type Role } from '#contract/roles.ts';

/** What `npm run user -- …` was asked to do. A missing password is to be made up. */
export type Command =
  | Readonly<{ kind: 'add'; email: string; role: Role; password: string | undefined }>
  | Readonly<{ kind: 'role'; email: string; role: Role }>
  | Readonly<{ kind: 'password'; email: string; password: string | undefined }>
  | Readonly<{ kind: 'factors'; email: string }>
  | Readonly<{ kind: 'list' }>
  | Readonly<{ kind: 'remove'; email: string }>
  | Readonly<{ kind: 'help' }>;

export class UsageError extends Error {}

export const USAGE = `Konten verwalten

  npm run user -- add E-MAIL ROLLE [--password PASSWORT]   Konto anlegen
  npm run user -- role E-MAIL ROLLE                        Rolle ändern
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
  const { words, password } = split(args);
  const [kind, ...rest] = words;
  const [email = '', role = ''] = rest;
  switch (kind) {
    case 'add':
      expect(rest, 2);
      return { kind, email: checkedEmail(email), role: checkedRole(role), password };
    case 'role':
      expect(rest, 2);
      return { kind, email: checkedEmail(email), role: checkedRole(role) };
    case 'password':
      expect(rest, 1);
      return { kind, email: checkedEmail(email), password };
    case 'factors':
    case 'remove':
      expect(rest, 1);
      return { kind, email: checkedEmail(email) };
    case 'list':
      expect(rest, 0);
      return { kind };
    case 'help':
      return { kind };
    default:
      throw new UsageError(kind === undefined ? 'Es fehlt, was zu tun ist.' : `Unbekannter Befehl: ${kind}`);
  }
}

function split(args: readonly string[]): { words: string[]; password: string | undefined } {
  try {
    const options = { password: { type: 'string' }, help: { type: 'boolean', short: 'h' } } as const;
    const { positionals, values } = parseArgs({ args: [...args], options, allowPositionals: true });
    return { words: values.help === true ? ['help'] : positionals, password: values.password };
  } catch (cause) {
    throw new UsageError('Eine Angabe wird nicht verstanden.', { cause });
  }
}

function expect(words: readonly string[], count: number): void {
  if (words.length < count) throw new UsageError('Es fehlen Angaben.');
  if (words.length > count) throw new UsageError('Es sind zu viele Angaben.');
}

function checkedEmail(text: string): string {
  if (/^[^\s@]+@[^\s@]+$/.test(text)) return text.toLowerCase();
  throw new UsageError(`Das ist keine E-Mail-Adresse: ${text}`);
}

function checkedRole(text: string): Role {
  if (isRole(text)) return text;
  throw new UsageError(`Unbekannte Rolle: ${text}. Es gibt ${ROLES.join(', ')}.`);
}
