import { execFile, fork } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { isBuilt, SERVER_BUILD } from './build/builds.mjs';

/** Prints the names of the packages that loading a file brings. */
const buildScript = (file: string): string => `
  import { registerHooks } from 'node:module';
  const names = new Set();
  registerHooks({
    load(url, context, next) {
      const name = /.*node_modules\\/((?:@[^/]+\\/)?[^/]+)/.exec(url)?.[1];
      if (name !== undefined) names.add(name);
      return next(url, context);
    },
  });
  await import(${JSON.stringify(new URL(`../src/server/${file}`, import.meta.url).href)});
  console.log(JSON.stringify([...names]));
`;

/** What only some installations or some requests need (docs/performance.md, memory at rest). */
const LATER = ['@aws-sdk/client-s3', '@node-saml/node-saml', '@simplewebauthn/server', '@tus/s3-store', 'mediabunny'];

async function listPackages(file: string): Promise<readonly string[]> {
  const args = ['--input-type=module', '-e', buildScript(file)];
  return JSON.parse((await promisify(execFile)(process.execPath, args)).stdout) as string[];
}

/** Of the services, which a command that copies rows and files does not start: 0.2 s and 60 MB. */
const SERVICES = ['fastify', 'jose', '@tus/server', '@fastify/busboy', 'nodemailer', '@supabase/supabase-js'];

test('A start loads no library that only some installations need (docs/performance.md)', async () => {
  const loaded = await listPackages('start.ts');
  expect(loaded).toContain('fastify');
  expect(loaded.filter((name) => LATER.includes(name))).toEqual([]);
});

test('Backup and restore load none of the services (docs/performance.md)', async () => {
  const loaded = await listPackages('backup/run.ts');
  expect(loaded).toContain('pg');
  expect(loaded.filter((name) => SERVICES.includes(name))).toEqual([]);
});

const FOLDER = path.resolve('dist/server');
/** What the server, a thread and a process begin with. */
const ENTRIES = ['main.js', 'hash-thread.js', 'speech-engine.js'];

const readBuilt = (name: string): string => readFileSync(path.join(FOLDER, name), 'utf8');

/** The file and what it imports at once, and so on. */
function listLoaded(name: string, known = new Set<string>()): ReadonlySet<string> {
  if (known.has(name)) return known;
  known.add(name);
  for (const [, next = ''] of readBuilt(name).matchAll(/^import .*from "\.\/([^"]+)";$/gm)) listLoaded(next, known);
  return known;
}

// `npm run check` builds nothing; `npm test` does.
describe.runIf(isBuilt(SERVER_BUILD))('The built server (decision 0341)', () => {
  test('starts without libraries that only some installations need, and without letters that double its memory', () => {
    const text = [...listLoaded('main.js')].map(readBuilt).join('\n');
    const packages = new Set(
      [...text.matchAll(/^\/\/ node_modules\/((?:@[^/\n]+\/)?[^/\n]+)/gm)].map(([, name]) => name),
    );
    expect(packages).toContain('fastify');
    expect(LATER.filter((name) => packages.has(name))).toEqual([]);
    expect(/[^\0-\u007f]/.exec(text)?.[0]).toBeUndefined();
  });

  test('loads what is left for later', async () => {
    const later = readdirSync(FOLDER).filter((name) => name.endsWith('.js') && !ENTRIES.includes(name));
    const program = later.map((name) => `await import(${JSON.stringify(path.join(FOLDER, name))});`).join('');
    await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program]);
    const atOnce = listLoaded('main.js');
    expect(later.filter((name) => !atOnce.has(name))).not.toEqual([]);
  });

  test('has a speech engine that answers', async () => {
    const engine = fork(path.join(FOLDER, 'speech-engine.js'), { serialization: 'advanced', execArgv: [] });
    try {
      const answered = once(engine, 'message');
      engine.send({ id: 7, command: { kind: 'open', job: 1, file: new Uint8Array([1, 2, 3]) } });
      expect((await answered)[0]).toMatchObject({ id: 7, error: expect.any(String) });
    } finally {
      engine.kill('SIGKILL');
    }
  });
});
