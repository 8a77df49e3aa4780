import { spawn } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { MUTATION_VARIABLE } from '#tests/support/database.ts';
import type { Mutation } from './mutation.ts';

const FOLDER = 'tests/wire';

/** Which files of tests/wire watch which objects; the first that fits. */
const FILES: ReadonlyArray<readonly [objects: RegExp, files: RegExp]> = [
  [/desk_mail|on_desk_(finished|state)/, /^(desk-mail|mail-outbox)/],
  [
    /erasure|desk_erase|retain|retention|erasable|files_of|mails_of|contributions_of|accounts_of/,
    /^desk-(erasure|retention|people)/,
  ],
  [/dossier|desk_person|ticket/, /^desk-(archive|people|access)/],
  [/desk_/, /^desk-(functions|inbox|listing|search|work)/],
  [/session/, /^own-sessions/],
  [/factor/, /^second-factor/],
  [/upload|quota|bytes_of/, /^(storage-permissions|storage-upload|storage-resumable|upload)/],
  [/network|contribution_(limit|usage)|attached|_counted|on_interview_(limit|texts)|private\.refuse/, /^contribution/],
  [/voice/, /^voice-budget/],
  [/admin_/, /^(admin-activity|schema-statistics)/],
  [/storage\./, /^(schema|storage-permissions)/],
  [/origin/, /^(origin-areas|desk-listing)/],
  [/./, /^(schema-(ids|keys|matrix|rows)|contributions|submission-token)/],
];

/** Runs the wire tests that ought to notice, on databases with the mutation; true where one of them fails. */
export async function wireTestsNotice(mutation: Mutation): Promise<boolean> {
  return (await runWireTests(await filesFor([mutation]), mutation.sql)) !== 0;
}

/** On the unchanged schema they must pass, else a failure would say nothing about a mutation. */
export async function wireTestsPass(mutations: readonly Mutation[]): Promise<boolean> {
  return (await runWireTests(await filesFor(mutations), '')) === 0;
}

async function filesFor(mutations: readonly Mutation[]): Promise<string[]> {
  const patterns = mutations.flatMap(({ name }) => FILES.find(([objects]) => objects.test(name))?.[1] ?? []);
  return (await readdir(FOLDER)).filter((file) => patterns.some((pattern) => pattern.test(file)));
}

function runWireTests(files: readonly string[], sql: string): Promise<number | null> {
  const paths = files.map((file) => `${FOLDER}/${file}`);
  const child = spawn('vitest', ['run', '--project', 'wire', '--bail', '1', '--reporter', 'dot', ...paths], {
    env: { ...process.env, [MUTATION_VARIABLE]: sql },
    stdio: 'ignore',
  });
  return new Promise((resolve, reject) => child.once('error', reject).once('exit', resolve));
}
