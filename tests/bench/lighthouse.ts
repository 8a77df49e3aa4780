import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { chromium, type BrowserContext } from '@playwright/test';
import { createClient, type Session } from '@supabase/supabase-js';
import { sessionStorageKey } from '#web/backend/stored-session.ts';
import { testBrowser } from '../../scripts/browser.ts';
import { weighPage } from './browser.ts';
import type { Subject } from './subject.ts';
import { ceiling, floor, type Row } from './table.ts';

const RUNS = 3;
const LEAST = { performance: 95, accessibility: 100 } as const;
const GUEST_KILOBYTES = 120;
const PAGES = [
  { path: '/login', signedIn: false },
  { path: '/upload', signedIn: false },
  { path: '/', signedIn: true },
  { path: '/upload', signedIn: true },
  { path: '/voice-message', signedIn: true },
] as const;

type Scores = Readonly<Record<keyof typeof LEAST, number>>;
type Lighthouse = (
  url: string,
  flags: object,
) => Promise<{ lhr: { categories: Record<keyof typeof LEAST, { score: number | null }> } }>;

/**
 * Lighthouse's own mobile phone (four times slower than this machine, 1.6 Mbit/s, simulated) with nothing kept but the
 * login. The median of three; a machine under load makes every score lower.
 */
export async function lighthouseRows(subject: Subject): Promise<Row[]> {
  const lighthouse = await loadLighthouse();
  const rows: Row[] = [];
  for (const { path: place, signedIn } of PAGES) {
    const session = signedIn ? await openSession(subject) : undefined;
    const runs: Scores[] = [];
    for (let run = 0; run < RUNS; run += 1) runs.push(await score(lighthouse, subject.url, place, session));
    for (const name of ['performance', 'accessibility'] as const) {
      const found = runs.map((scores) => scores[name]).toSorted((one, other) => one - other);
      const what = `Lighthouse, ${name}: ${place}${signedIn ? ', logged in' : ''}`;
      rows.push(floor(what, found[1] ?? 0, `(${found.join(' ')})`, LEAST[name]));
    }
  }
  const { scripts } = await weighPage(`${subject.url}/upload`, 'Fotos und Videos auswählen');
  return [
    ...rows,
    ceiling('guest: scripts and styles until files can be chosen, gzip', scripts, 'kB', GUEST_KILOBYTES),
  ];
}

/** Installed beside the packages at the first call (decision 0282). */
async function loadLighthouse(): Promise<Lighthouse> {
  const source = fileURLToPath(new URL('lighthouse/', import.meta.url));
  const { dependencies } = JSON.parse(await readFile(path.join(source, 'package.json'), 'utf8')) as {
    dependencies: { lighthouse: string };
  };
  const folder = fileURLToPath(new URL(`../../.cache/lighthouse-${dependencies.lighthouse}`, import.meta.url));
  if (!existsSync(folder)) {
    const draft = `${folder}.new-${process.pid}`;
    await cp(source, draft, { recursive: true });
    await promisify(execFile)('npm', ['ci', '--ignore-scripts'], { cwd: draft });
    await rename(draft, folder);
  }
  const entry = pathToFileURL(path.join(folder, 'node_modules/lighthouse/core/index.js')).href;
  return ((await import(entry)) as { default: Lighthouse }).default;
}

async function openSession(subject: Subject): Promise<Session> {
  const { auth } = createClient(subject.url, subject.key, { auth: { persistSession: false, autoRefreshToken: false } });
  const { data, error } = await auth.signInWithPassword(subject.findAccount('vdi_admin'));
  if (error !== null) throw error;
  return data.session;
}

/** In a profile of its own, so that no run finds what another one has loaded. */
async function score(lighthouse: Lighthouse, url: string, place: string, session?: Session): Promise<Scores> {
  const profile = await mkdtemp(path.join(tmpdir(), 'smca-lighthouse-'));
  const { executablePath, env } = await testBrowser();
  const args = ['--no-sandbox', '--remote-debugging-port=0'];
  const context = await chromium.launchPersistentContext(profile, {
    executablePath,
    env: { ...process.env, ...env },
    args,
  });
  try {
    if (session !== undefined) await keepSession(context, url, session);
    const [port] = (await readFile(path.join(profile, 'DevToolsActivePort'), 'utf8')).split('\n');
    const { lhr } = await lighthouse(`${url}${place}`, {
      port: Number(port),
      logLevel: 'error',
      onlyCategories: Object.keys(LEAST),
      disableStorageReset: true,
    });
    const percent = (name: keyof typeof LEAST): number => Math.round(100 * (lhr.categories[name].score ?? 0));
    return { performance: percent('performance'), accessibility: percent('accessibility') };
  } finally {
    await context.close();
    await rm(profile, { recursive: true, force: true });
  }
}

/** As a login leaves it. */
async function keepSession(context: BrowserContext, url: string, session: Session): Promise<void> {
  const page = context.pages()[0] ?? (await context.newPage());
  await page.route('**/empty-page', (route) => route.fulfill({ contentType: 'text/html', body: '' }));
  await page.goto(`${url}/empty-page`);
  await page.evaluate(
    ([key, value, role]) => {
      localStorage.setItem(key, value);
      localStorage.setItem(role, 'vdi_admin');
    },
    [sessionStorageKey(url), JSON.stringify(session), `last_role:${session.user.id}`] as const,
  );
}
