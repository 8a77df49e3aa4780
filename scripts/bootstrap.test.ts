import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';

const START = 'exec env A=1 node --title=kept dist/server/main.js';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'smca-bootstrap-'));
  mkdirSync(path.join(folder, 'scripts/build'), { recursive: true });
  for (const file of ['scripts/bootstrap.mjs', 'scripts/build/builds.mjs']) copyFileSync(file, path.join(folder, file));
  writeFileSync(path.join(folder, 'package.json'), JSON.stringify({ scripts: { start: START } }));
  writeFileSync(path.join(folder, 'package-lock.json'), '{}');
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Runs the script in a folder without packages; `npm` is what npm would do. */
function bootstrap(npm: string, ...flags: string[]) {
  return runScript(npm, flags, ['--production', '--build']);
}

function runScript(npm: string, flags: readonly string[], wants: readonly string[]) {
  const command = path.join(folder, 'npm.cjs');
  writeFileSync(command, npm);
  return spawnSync(process.execPath, [...flags, path.join(folder, 'scripts/bootstrap.mjs'), ...wants], {
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], npm_execpath: command },
  });
}

test('Names the Node that is needed and the one that runs', () => {
  const old = 'data:text/javascript,Object.defineProperty(process.versions,"node",{value:"18.20.4"})';
  const { status, stderr } = bootstrap('', '--import', old);
  expect(status).toBe(1);
  expect(stderr).toContain('Node 20.19 oder neuer wird gebraucht, hier läuft 18.20.4.');
  expect(stderr).not.toContain('Pakete');
});

test('Says that packages are installed, and in words why they are not', () => {
  const fail = (words: string) => bootstrap(`process.stderr.write(${JSON.stringify(words)}); process.exit(1)`).stderr;
  expect(fail('npm error code ENOTFOUND')).toMatch(
    /Pakete werden installiert.*\.\.\.\nnpm error code ENOTFOUND\n?Die Pakete konnten nicht installiert werden/,
  );
  expect(fail('npm error code ENOSPC\n')).toContain(`ist voll. Schaffe Platz und starte noch einmal.`);
  expect(fail('npm error code EACCES\n')).toContain('kann dieses Konto nicht schreiben.');
  // Where the copy of the lock file cannot be written.
  mkdirSync(path.join(folder, 'npm-shrinkwrap.json'));
  expect(fail('never called')).toMatch(/^EISDIR[^\n]*\nDie Pakete konnten nicht installiert werden[^\n]*\n$/);
  rmSync(path.join(folder, 'npm-shrinkwrap.json'), { recursive: true });
});

test('Tells npm where each package is, and lets it ask a registry that has them elsewhere', () => {
  const packages = {
    '': { name: 'app' },
    'node_modules/plain': { version: '1.2.3' },
    'node_modules/plain/node_modules/@scope/inner': { version: '2.0.0' },
    'node_modules/other': { name: '@scope/real', version: '3.0.0' },
    'node_modules/plain/node_modules/bundled': { version: '4.0.0', inBundle: true },
    'node_modules/from-git': { version: '5.0.0', resolved: 'git+ssh://git@beispiel.test/a.git' },
  };
  writeFileSync(path.join(folder, 'package-lock.json'), JSON.stringify({ packages }));
  const copy = path.join(folder, 'npm-shrinkwrap.json');
  const calls = path.join(folder, 'calls');
  bootstrap(`const fs = require('node:fs');
    const copy = fs.existsSync(${JSON.stringify(copy)}) ? fs.readFileSync(${JSON.stringify(copy)}, 'utf8') : 'null';
    const always = process.argv.includes('--replace-registry-host=always');
    fs.appendFileSync(${JSON.stringify(calls)}, JSON.stringify({ always, copy: JSON.parse(copy) }) + '\\n');
    console.error('npm error code E404');
    process.exit(1);`);
  const [first, second, ...others] = readFileSync(calls, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const resolved = Object.values<{ resolved?: string }>(first.copy.packages).map((entry) => entry.resolved);
  expect(first.always).toBe(true);
  expect(resolved).toEqual([
    undefined,
    'https://registry.invalid/plain/-/plain-1.2.3.tgz',
    'https://registry.invalid/@scope/inner/-/inner-2.0.0.tgz',
    'https://registry.invalid/@scope/real/-/real-3.0.0.tgz',
    undefined,
    'git+ssh://git@beispiel.test/a.git',
  ]);
  expect([second, others]).toEqual([{ always: false, copy: null }, []]);
  writeFileSync(path.join(folder, 'package-lock.json'), '{}');
});

/** Stands for Vite: makes what the configuration is for. */
const VITE = `
  const fs = require('node:fs');
  const isServer = process.argv.includes('vite.server.config.ts');
  fs.mkdirSync('dist/web', { recursive: true });
  fs.mkdirSync('dist/server', { recursive: true });
  const main = "require('node:fs').appendFileSync('loaded', [process.title, process.argv[2], ''].join(' '))";
  fs.writeFileSync(isServer ? 'dist/server/main.js' : 'dist/web/index.html', isServer ? main : '');
`;

test('Installs and builds once, then only what has changed, and says nothing where nothing has', () => {
  mkdirSync(path.join(folder, 'node_modules/vite/bin'), { recursive: true });
  writeFileSync(path.join(folder, 'node_modules/vite/bin/vite.js'), VITE);
  const first = bootstrap('console.log("added 3 packages")');
  expect([first.status, first.stderr]).toEqual([
    0,
    expect.stringMatching(
      /Pakete werden installiert.*\.\.\.\n {2}Oberfläche wird gebaut \.\.\.\n {2}Server wird gebaut \.\.\.\n$/s,
    ),
  ]);
  const loaded = () => readFileSync(path.join(folder, 'loaded'), 'utf8');
  expect(loaded(), 'loaded once, as npm start would').toBe('kept --load ');
  expect(bootstrap('process.exit(1)')).toMatchObject({ status: 0, stderr: '', stdout: '' });
  mkdirSync(path.join(folder, 'src/server'), { recursive: true });
  writeFileSync(path.join(folder, 'src/server/env.test.ts'), '');
  expect(bootstrap('')).toMatchObject({ status: 0, stderr: '' });
  writeFileSync(path.join(folder, 'src/server/main.ts'), '');
  expect(bootstrap('')).toMatchObject({ status: 0, stderr: '  Server wird gebaut ...\n' });
  expect(loaded()).toBe('kept --load '.repeat(2));
});

test('Builds again what a build that failed has left, also where the sources are again those of the one before', () => {
  const vite = path.join(folder, 'node_modules/vite/bin/vite.js');
  const source = path.join(folder, 'src/contract/limits.ts');
  mkdirSync(path.dirname(source), { recursive: true });
  const change = (text: string, made: string) => {
    writeFileSync(source, text);
    writeFileSync(vite, made);
    return bootstrap('');
  };
  expect(change('1', VITE).status).toBe(0);
  expect(change('2', `${VITE}process.exit(1);`).stderr).toContain('Die Oberfläche konnte nicht gebaut werden.');
  expect(change('1', VITE)).toMatchObject({ status: 0, stderr: expect.stringContaining('Oberfläche wird gebaut') });
});

test('Fetches the voice client of the tests after the packages for development, and again where that failed', () => {
  const client = path.join(folder, 'scripts/voice-client.ts');
  const installed = () => runScript('', [], []);
  writeFileSync(client, "console.error('has another checksum'); process.exit(1);");
  expect(installed()).toMatchObject({
    status: 1,
    stderr: expect.stringMatching(/has another checksum\nDie Pakete konnten nicht installiert werden/),
  });
  expect(bootstrap('').stderr, 'not for npm start').not.toContain('has another checksum');
  const note = path.join(folder, 'fetched');
  writeFileSync(client, `require('node:fs').appendFileSync(${JSON.stringify(note)}, 'once ');`);
  expect([installed().status, installed().status]).toEqual([0, 0]);
  expect(readFileSync(note, 'utf8')).toBe('once ');
});
