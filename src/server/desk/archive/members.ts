import type { SupabaseClient } from '@supabase/supabase-js';
import type { MailSearch } from '../../mail/index.ts';
import {
  readAttachedRows,
  readDeskWork,
  readDossier,
  readFiles,
  signFiles,
  type ContributionFile,
  type Dossier,
} from '../contribution.ts';
import { DeskError } from '../error.ts';
import { chooseFileName } from '../file-names.ts';
import type { PersonDossier } from '../person.ts';
import { TEXTS } from '../texts.ts';
import type { FileMember, Member, TextMember } from './pack.ts';

/** Everything about one contribution. Texts are read while packing; files are signed at once. */
export type ContributionMembers = Readonly<{ texts: readonly TextMember[]; files: readonly FileMember[] }>;

/** `folder` is '' or ends with a slash. Throws DeskError. */
export async function collectMembers(
  client: SupabaseClient,
  dossier: Dossier,
  place: Readonly<{ backend: string; folder: string }>,
): Promise<ContributionMembers> {
  const { id, transcript } = dossier.interview;
  const files = await readFiles(client, id);
  const urls = await signFiles(client, place.backend, files);
  const width = Math.max(2, String(files.length).length);
  const named = files.map((file, at) => ({ ...file, name: chooseFileName(file, String(at + 1).padStart(width, '0')) }));
  return {
    texts: [
      { kind: 'text', name: `${place.folder}${TEXTS.contribution}`, content: report(client, dossier, named) },
      { kind: 'text', name: `${place.folder}${TEXTS.transcript}`, content: [formatTranscript(transcript)] },
    ],
    files: named.map(({ name, path, type }) => ({
      kind: 'file',
      name: `${place.folder}${name}`,
      type,
      url: urls.get(path),
    })),
  };
}

/** A voice message may have no transcript (§8). */
function formatTranscript(transcript: string | null): string {
  return transcript === null || transcript.trim() === '' ? TEXTS.noTranscript : transcript;
}

type NamedFile = ContributionFile & Readonly<{ name: string }>;

/** Yields JSON in pieces, because a long interview has many turns. */
async function* report(client: SupabaseClient, dossier: Dossier, files: readonly NamedFile[]): AsyncGenerator<string> {
  const { id } = dossier.interview;
  yield beginObject({ ...dossier, files });
  yield* list('turns', readAttachedRows(client, 'interview_turns', id));
  yield* list('feedback', readAttachedRows(client, 'feedback', id));
  yield '\n}\n';
}

/** A colleague's own work has many lines. */
async function* reportPerson(client: SupabaseClient, person: PersonDossier): AsyncGenerator<string> {
  const accounts = [person.account, ...person.furtherAccounts].flatMap((account) => account?.id ?? []);
  yield beginObject(person);
  yield* list('deskWork', readDeskWork(client, accounts));
  yield '\n}\n';
}

const beginObject = (value: object): string => JSON.stringify(value, null, 2).replace(/\n\}$/, '');

async function* list(name: string, rows: AsyncIterable<unknown>): AsyncGenerator<string> {
  let before = `,\n  "${name}": [\n    `;
  let empty = true;
  for await (const row of rows) {
    yield before + JSON.stringify(row);
    before = ',\n    ';
    empty = false;
  }
  yield empty ? `,\n  "${name}": []` : '\n  ]';
}

type Sources = Readonly<{ client: SupabaseClient; backend: string; mails: MailSearch }>;

type Person = Readonly<{ email: string; dossier: PersonDossier; letters: readonly string[] }>;

/**
 * Yields everything about a person. Everything that needs the administrator's token comes before the signed files,
 * which take long.
 */
export async function* collectPersonMembers(
  sources: Sources,
  { email, dossier, letters }: Person,
): AsyncGenerator<Member> {
  const { client, backend, mails } = sources;
  yield { kind: 'text', name: TEXTS.person, content: reportPerson(client, { email, ...dossier }) };
  for (const [at, name] of letters.entries()) {
    yield { kind: 'text', name: `${TEXTS.mailsFolder}/${at + 1}.eml`, content: letter(mails, name) };
  }
  const files: FileMember[] = [];
  for (const id of dossier.contributions) {
    const folder = `${TEXTS.contributionsFolder}/${id}/`;
    const contribution = await readDossier(client, id).catch(ignoreErased);
    if (contribution === undefined) {
      yield { kind: 'erased', name: folder };
      continue;
    }
    const members = await collectMembers(client, contribution, { backend, folder });
    yield* members.texts;
    files.push(...members.files);
  }
  yield* files;
}

/** The list of contributions was read first. */
function ignoreErased(error: unknown): undefined {
  if (error instanceof DeskError && error.code === 'contribution_not_found') return undefined;
  throw error;
}

/** Yields nothing for a mail that was sent meanwhile. */
async function* letter(mails: MailSearch, name: string): AsyncGenerator<string> {
  yield await mails.read(name).then(String, () => '');
}
