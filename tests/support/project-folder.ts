import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

const OWN = path.resolve('supabase');

/** The project's folder with more in its config.toml, for `SUPABASE_DIR`: `auth` goes into the section `[auth]`. */
export async function projectFolder(
  sections: string,
  auth = '',
): Promise<{ folder: string; remove: () => Promise<void> }> {
  const folder = await mkdtemp(path.join(tmpdir(), 'smca-project-'));
  const own = await readFile(path.join(OWN, 'config.toml'), 'utf8');
  await writeFile(path.join(folder, 'config.toml'), `${own.replace('[auth]\n', `[auth]\n${auth}\n`)}\n${sections}\n`);
  await symlink(path.join(OWN, 'migrations'), path.join(folder, 'migrations'));
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) };
}
