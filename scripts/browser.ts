import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** The browser the tests run in: CHROMIUM_PATH where it is set, else the one that came with the packages. */
export type TestBrowser = Readonly<{ executablePath: string; env: Readonly<Record<string, string>> }>;

const run = promisify(execFile);
const CACHE = fileURLToPath(new URL('../.cache/', import.meta.url));
const PARTS = ['chromium.br', 'fonts.tar.br', 'swiftshader.tar.br', 'al2023.tar.br'];

export async function testBrowser(): Promise<TestBrowser> {
  const own = process.env['CHROMIUM_PATH'];
  if (own !== undefined && own !== '') return { executablePath: own, env: {} };
  const folder = await unpacked();
  const executablePath = path.join(folder, 'chromium');
  const fonts = { FONTCONFIG_FILE: await fontConfiguration(folder) };
  if (await starts(executablePath, fonts)) return { executablePath, env: fonts };
  // A machine without the browser's system libraries gets those that came along.
  const env = { ...fonts, LD_LIBRARY_PATH: path.join(folder, 'al2023', 'lib') };
  if (await starts(executablePath, env)) return { executablePath, env };
  throw new Error('The packaged browser does not run here: install Chromium and set CHROMIUM_PATH.');
}

/** Unpacked beside its final place and renamed, so that an interrupted start leaves nothing half. */
async function unpacked(): Promise<string> {
  const root = path.join(path.dirname(fileURLToPath(import.meta.resolve('@sparticuz/chromium'))), '..');
  const { version } = JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8')) as { version: string };
  const folder = path.join(CACHE, `chromium-${version}`);
  if (existsSync(folder)) return folder;
  const draft = `${folder}.new-${process.pid}`;
  await mkdir(draft, { recursive: true });
  // The package unpacks into the temporary folder, whichever that is at the moment of the call.
  process.env['TMPDIR'] = draft;
  const { inflate } = await import('@sparticuz/chromium');
  for (const part of PARTS) await inflate(path.join(root, 'bin', part));
  delete process.env['TMPDIR'];
  await rename(draft, folder).catch(() => rm(draft, { recursive: true, force: true }));
  return folder;
}

/** The package's own configuration names folders that exist elsewhere only; a browser without any font crashes. */
async function fontConfiguration(folder: string): Promise<string> {
  const file = path.join(folder, 'fonts.conf');
  const folders = [path.join(folder, 'fonts'), '/usr/share/fonts', '/usr/local/share/fonts'];
  const entries = [
    ...folders.map((each) => `<dir>${each}</dir>`),
    `<cachedir>${path.join(folder, 'font-cache')}</cachedir>`,
  ];
  await writeFile(file, `<?xml version="1.0"?>\n<fontconfig>${entries.join('')}</fontconfig>\n`);
  return file;
}

function starts(executable: string, env: Record<string, string>): Promise<boolean> {
  return run(executable, ['--version', '--no-sandbox'], { env: { ...process.env, ...env } }).then(
    () => true,
    () => false,
  );
}

if (import.meta.main) {
  const browser = await testBrowser();
  process.stderr.write(`Browser for tests: ${browser.executablePath}\n`);
}
