import type { SupabaseClient } from '@supabase/supabase-js';
import type { MailSearch } from '../../mail/index.ts';
import { readDossier } from '../contribution.ts';
import type { PersonDossier } from '../person.ts';
import { TEXTS } from '../texts.ts';
import { parcelOf } from './contribution-members.ts';
import type { FileMember, Member } from './members.ts';

type Sources = Readonly<{ client: SupabaseClient; backend: string; mails: MailSearch }>;

type Person = Readonly<{ email: string; dossier: PersonDossier; letters: readonly string[] }>;

/**
 * Everything about a person. All that is read with the administrator's token comes before the files, which take their
 * time: they are signed for.
 */
export async function* personMembers(sources: Sources, { email, dossier, letters }: Person): AsyncGenerator<Member> {
  const { client, backend, mails } = sources;
  yield { kind: 'text', name: TEXTS.person, content: [`${JSON.stringify({ email, ...dossier }, null, 2)}\n`] };
  for (const [at, name] of letters.entries()) {
    yield { kind: 'text', name: `${TEXTS.mailsFolder}/${at + 1}.eml`, content: letter(mails, name) };
  }
  const files: FileMember[] = [];
  for (const id of dossier.contributions) {
    const folder = `${TEXTS.contributionsFolder}/${id}/`;
    const parcel = await parcelOf(client, await readDossier(client, id), { backend, folder });
    yield* parcel.texts;
    files.push(...parcel.files);
  }
  yield* files;
}

/** A mail that was sent meanwhile is empty here. */
async function* letter(mails: MailSearch, name: string): AsyncGenerator<string> {
  yield await mails.read(name).then(String, () => '');
}
