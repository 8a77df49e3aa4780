import type { SupabaseClient } from '@supabase/supabase-js';
import {
  addAccount,
  listAccounts,
  removeAccount,
  removeFactors,
  setPassword,
  setRole,
  type Account,
} from './accounts.ts';
import type { Command } from './command.ts';
import { newPassword } from './passwords.ts';
import { table } from './table.ts';

/** Does what was asked and tells it; a password is told only where it was made up here. Throws AccountError. */
export async function runCommand(
  supabase: SupabaseClient,
  command: Exclude<Command, { kind: 'help' }>,
): Promise<string> {
  switch (command.kind) {
    case 'add': {
      const password = command.password ?? newPassword();
      await addAccount(supabase, { email: command.email, role: command.role, password });
      return `Konto ${command.email} angelegt, Rolle ${command.role}.\n${madeUp(command.password, password)}`;
    }
    case 'role':
      await setRole(supabase, command.email, command.role);
      return `Konto ${command.email} hat jetzt die Rolle ${command.role}.\n`;
    case 'password': {
      const password = command.password ?? newPassword();
      await setPassword(supabase, command.email, password);
      return `Neues Passwort für ${command.email} gesetzt; alle Sitzungen sind beendet.\n${madeUp(command.password, password)}`;
    }
    case 'factors': {
      const count = await removeFactors(supabase, command.email);
      return `Zweite Faktoren von ${command.email} entfernt: ${count}. Zum Anmelden genügt wieder das Passwort.\n`;
    }
    case 'remove':
      await removeAccount(supabase, command.email);
      return `Konto ${command.email} gelöscht.\n`;
    default:
      return listing(await listAccounts(supabase));
  }
}

function madeUp(given: string | undefined, password: string): string {
  return given === undefined ? `Passwort (nur jetzt angezeigt): ${password}\n` : '';
}

function listing(accounts: readonly Account[]): string {
  if (accounts.length === 0) return 'Es gibt noch kein Konto.\n';
  const rows = accounts.map(({ email, role, lastSignIn, banned }) => [
    email,
    role ?? '(keine)',
    lastSignIn?.slice(0, 16).replace('T', ' ') ?? 'nie',
    banned ? 'gesperrt' : '',
  ]);
  return `${table(['E-Mail', 'Rolle', 'Letzte Anmeldung (UTC)', ''], rows).join('\n')}\n`;
}
