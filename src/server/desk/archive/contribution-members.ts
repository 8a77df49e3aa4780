import type { SupabaseClient } from '@supabase/supabase-js';
import { attachedRows, readFiles, signatures, type ContributionFile, type Dossier } from '../contribution.ts';
import { fileName } from '../file-names.ts';
import { storedAddress } from '../stored-files.ts';
import { TEXTS } from '../texts.ts';
import type { FileMember, TextMember } from './members.ts';

/** Everything about one contribution: the texts are read when they are packed, the files are signed for now. */
export type Parcel = Readonly<{ texts: readonly TextMember[]; files: readonly FileMember[] }>;

/** `folder` is '' or ends with a slash. Throws DeskFailure. */
export async function parcelOf(
  client: SupabaseClient,
  dossier: Dossier,
  place: Readonly<{ backend: string; folder: string }>,
): Promise<Parcel> {
  const { id, transcript } = dossier.interview;
  const files = await readFiles(client, id);
  const signed = await signatures(
    client,
    files.map(({ path }) => path),
  );
  const width = Math.max(2, String(files.length).length);
  const named = files.map((file, at) => ({ ...file, name: fileName(file, String(at + 1).padStart(width, '0')) }));
  return {
    texts: [
      { kind: 'text', name: `${place.folder}${TEXTS.contribution}`, content: report(client, dossier, named) },
      { kind: 'text', name: `${place.folder}${TEXTS.transcript}`, content: [wordsOf(transcript)] },
    ],
    files: named.map(({ name, path, type }) => {
      const signature = signed.get(path);
      const url = signature === undefined ? undefined : storedAddress(place.backend, path, signature);
      return { kind: 'file', name: `${place.folder}${name}`, type, url };
    }),
  };
}

/** A voice message may have been handed in without one. */
function wordsOf(transcript: string | null): string {
  return transcript === null || transcript.trim() === '' ? TEXTS.noTranscript : transcript;
}

type NamedFile = ContributionFile & Readonly<{ name: string }>;

/** JSON in pieces: a long interview has many turns. */
async function* report(client: SupabaseClient, dossier: Dossier, files: readonly NamedFile[]): AsyncGenerator<string> {
  const { id } = dossier.interview;
  yield JSON.stringify({ ...dossier, files }, null, 2).replace(/\n\}$/, '');
  yield* list('turns', attachedRows(client, 'interview_turns', id));
  yield* list('feedback', attachedRows(client, 'feedback', id));
  yield '\n}\n';
}

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
