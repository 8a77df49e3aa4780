/**
 * `npm run dev`: the application on one port while it is being changed. The browser takes changes of `src/web` at once,
 * the server restarts when its code or `supabase` changes, and PostgreSQL keeps running. `--fresh` begins with empty
 * data, `--no-seed` leaves out the demo contributions.
 */
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { pino } from 'pino';
import { emptyInstallation, openDevDatabase } from './dev/database.ts';
import { runServer } from './dev/server.ts';
import { serveWeb } from './dev/web.ts';
import { runSeed } from './dev/seed.ts';
import { reservePort } from './reserved-port.ts';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const { values: options } = parseArgs({
  options: { fresh: { type: 'boolean', default: false }, 'no-seed': { type: 'boolean', default: false } },
});

// Like the server's: what is written here is only for this account.
process.umask(0o077);
const dataDir = path.resolve(ROOT, process.env['DATA_DIR'] ?? '.dev-data');
const port = Number(process.env['PORT'] ?? 3000);
const address = process.env['PUBLIC_URL'] ?? `http://127.0.0.1:${port}`;
const seeded = path.join(dataDir, 'seeded');
const log = pino({ level: 'warn' });

const database = await openDevDatabase(dataDir, log);
if (options.fresh) await emptyInstallation(dataDir, database.url);
// The server's own port, also while it restarts.
const { port: serverPort } = await reservePort();
const env = {
  ...process.env,
  DATA_DIR: dataDir,
  DATABASE_URL: database.url,
  PUBLIC_URL: address,
  HOST: '127.0.0.1',
  PORT: String(serverPort),
  LOG_LEVEL: process.env['LOG_LEVEL'] ?? 'warn',
};
const server = runServer({ root: ROOT, env });
const web = await serveWeb({ root: ROOT, port, serverPort, server });
let stopping = false;
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void stop());

if ((await server.settled()) === 'ready') {
  if (!options['no-seed'] && !existsSync(seeded) && (await runSeed(ROOT, env))) await writeFile(seeded, '');
  process.stdout.write(await greeting());
} else process.stdout.write('  The server did not start; the next change of a file tries it again.\n');

async function stop(): Promise<void> {
  if (stopping) return;
  stopping = true;
  await web.close();
  await server.stop();
  await database.stop();
  process.exit(0);
}

async function greeting(): Promise<string> {
  const accounts = await readAccounts(path.join(dataDir, 'zugangsdaten.json'));
  const folder = path.relative(process.cwd(), dataDir);
  const width = Math.max(...accounts.map(({ email }) => email.length), 0);
  const lines = accounts.map(({ email, password, role }) => `    ${email.padEnd(width)}  ${password}  ${role}`);
  return [
    '',
    `  Application   ${address}`,
    `  UI catalogue  ${address}/catalogue`,
    `  Data          ${folder.startsWith('..') ? dataDir : folder || '.'} (mails in outbox/; --fresh empties it)`,
    '',
    ...(lines.length > 0 ? ['  Demo accounts:', ...lines, ''] : []),
    '',
  ].join('\n');
}

type Account = Readonly<{ email: string; password: string; role: string }>;

/** Empty where the file was deleted, as the server advises after the passwords were changed. */
async function readAccounts(file: string): Promise<readonly Account[]> {
  const text = await readFile(file, 'utf8').catch(() => '[]');
  return JSON.parse(text) as Account[];
}
