import type { SupabaseClient } from '@supabase/supabase-js';
import { z } from 'zod';
import { PersonSchema, type Person } from '#contract/desk-files.ts';
import type { MailSearch, MailSubject } from '../mail/index.ts';
import { DeskError, getData } from './error.ts';

const Account = z.looseObject({ id: z.string() });

const PersonDossierSchema = z.looseObject({
  contributions: z.array(z.number()),
  account: Account.nullable(),
  /** Missing where the database does not know them yet. */
  furtherAccounts: z.array(Account).default([]),
  /** Mails of the desk's queue. */
  mails: z.array(z.looseObject({ message_id: z.string() })),
  audit: z.array(z.unknown()),
});
export type PersonDossier = z.infer<typeof PersonDossierSchema>;

const Traces = z.object({ ids: z.array(z.number()), letters: z.array(z.string()) });

/** Lists the subjects of mails to a person or about the person's contributions. */
export function listMailSubjects(
  address: string,
  contributions: readonly number[],
  letters: readonly string[],
): MailSubject[] {
  return [
    { address },
    ...contributions.map((contribution) => ({ contribution })),
    ...letters.map((letter) => ({ letter })),
  ];
}

/** Counts what the database and the outbox hold about an address. Throws DeskError. */
export async function countPerson(client: SupabaseClient, mails: MailSearch, email: string): Promise<Person> {
  const data = getData(await client.rpc('desk_person', { email }));
  const { ids, letters } = Traces.parse(data);
  const written = await mails.find(listMailSubjects(email, ids, letters));
  const person = PersonSchema.parse({ ...data, email });
  return { ...person, mails: person.mails + written.length };
}

/** Throws DeskError if there is nothing to export or erase. */
export async function requirePerson(client: SupabaseClient, mails: MailSearch, email: string): Promise<void> {
  const { contributions, mails: letters, account } = await countPerson(client, mails, email);
  if (contributions === 0 && letters === 0 && account === null) throw new DeskError('person_not_found');
}

/** Reads what is stored about a person besides the contributions. Throws DeskError. */
export async function readPersonDossier(client: SupabaseClient, email: string): Promise<PersonDossier> {
  return PersonDossierSchema.parse(getData(await client.rpc('desk_person_dossier', { email })));
}
