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
  const command = path.join(folder, 'npm.cjs');
  writeFileSync(command, npm);
  return spawnSync(
    process.execPath,
    [...flags, path.join(folder, 'scripts/bootstrap.mjs'), '--production', '--build'],
    {
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], npm_execpath: command },
    },
  );
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
