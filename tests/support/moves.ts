import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { runCommand } from '#server/backup/hosted/run.ts';
import { bootServer, type TestServer } from './boot.ts';
import { asOwner } from './callers.ts';
import { createDatabase } from './database.ts';
import { startFile, type Finished } from './processes.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

export type Environment = Readonly<Record<string, string>>;

/** `npm run move-to-hosted`, in this process. */
export async function moveToHosted(env: Environment, ...args: string[]): Promise<Finished> {
  const said = { out: '', err: '' };
  const code = await runCommand(args, {
    variables: { ...env },
    out: (text) => void (said.out += text),
    err: (text) => void (said.err += text),
    signal: new AbortController().signal,
  });
  return { code, ...said };
}

/** The same as a process of its own, to be ended in the middle. */
export function startMove(env: Environment): ReturnType<typeof startFile> {
  return startFile('src/server/backup/hosted/cli.ts', [], { ...env });
}

/**
 * A second embedded server that plays a hosted project nobody has used yet: the services' schemas and nothing of ours.
 */
export type HostedProject = Readonly<{
  server: TestServer;
  /** How a move reaches it: the database as the role that a hosted project's operator has, no superuser. */
  env: Environment;
  stop: () => Promise<void>;
}>;

export async function bootHostedProject(fileSizeLimit = '2GiB'): Promise<HostedProject> {
  const folder = await mkdtemp(path.join(tmpdir(), 'smca-project-'));
  const config = await readFile(path.join(ROOT, 'supabase/config.toml'), 'utf8');
  await writeFile(path.join(folder, 'config.toml'), config.replace('2GiB', fileSizeLimit));
  const database = await createDatabase();
  const server = await bootServer({ DATABASE_URL: database.url, SUPABASE_DIR: folder });
  // A hosted project sends no mails of the desk; a server would, as soon as the migrations are there.
  await server.deskMail?.stop();
  const role = `hosted_${randomBytes(4).toString('hex')}`;
  await makeOperator(database.url, role);
  const url = new URL(database.url);
  url.username = role;
  url.password = role;
  return {
    server,
    env: { SUPABASE_URL: server.url, SUPABASE_SERVICE_KEY: server.backend.keys.secretKey, SUPABASE_DB_URL: url.href },
    stop: async () => {
      await server.stop();
      await database.drop();
      await asOwner(process.env['TEST_CLUSTER_URL'] ?? '', (client) =>
        client.query(`drop role ${role}, ${role}_storage`),
      );
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Upstream's `postgres`: rows of auth and storage, no tables of theirs; policies for storage; schemas of its own. */
function makeOperator(databaseUrl: string, role: string): Promise<unknown> {
  const { pathname } = new URL(databaseUrl);
  return asOwner(databaseUrl, (client) =>
    client.query(`
      drop schema supabase_migrations cascade;
      create role ${role}_storage;
      create role ${role} login nosuperuser bypassrls password '${role}' in role ${role}_storage;
      alter table storage.objects owner to ${role}_storage;
      alter table storage.buckets owner to ${role}_storage;
      grant usage on schema storage to ${role}_storage;
      grant create on database ${pathname.slice(1)} to ${role};
      grant usage, create on schema public to ${role};
      grant usage on schema auth, storage, extensions to ${role};
      grant all on all tables in schema auth to ${role}`),
  );
}
