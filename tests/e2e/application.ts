import { test as base, expect, type BrowserContext, type Page } from '@playwright/test';
import { getHome } from '#contract/areas.ts';
import type { Role } from '#contract/roles.ts';
import { sessionStorageKey } from '#web/backend/stored-session.ts';
import { createUser, type TestUser } from '#tests/support/accounts.ts';
import { bootServer, type TestServer } from '#tests/support/boot.ts';
import { startTranscriptionService, type TranscriptionService } from '#tests/support/transcription-service.ts';

type Boot = () => Promise<TestServer>;
type WorkerFixtures = {
  /** The worker's server of this name, booted at the first call; there is one beside the unnamed. */
  getServer: (name: string, boot: Boot) => Promise<TestServer>;
  getShared: () => Promise<TestServer>;
  transcription: TranscriptionService;
};
type TestFixtures = {
  server: TestServer;
  /** Files that set it share no server, and so no rows, with any other. */
  apart: string;
  /** A person with this role, logged in on the page: at home, or at `path`. */
  loginAs: (role: Role, path?: string) => Promise<TestUser>;
};

/**
 * Playwright's test with the booted application: one server and one transcription service a worker. To begin a worker
 * takes 2 s, to boot a server within it a quarter: only what a browser is launched with has workers of its own (0340).
 */
export const test = base.extend<TestFixtures, WorkerFixtures>({
  apart: ['', { option: true }],
  transcription: [
    // oxlint-disable-next-line no-empty-pattern -- Playwright reads the dependencies of a fixture from this pattern
    async ({}, provide) => {
      const service = await startTranscriptionService();
      await provide(service);
      await service.stop();
    },
    { scope: 'worker' },
  ],
  getServer: [
    // oxlint-disable-next-line no-empty-pattern -- Playwright reads the dependencies of a fixture from this pattern
    async ({}, provide) => {
      const servers = new Map<string, TestServer>();
      await provide(async (name, boot) => {
        for (const [other, server] of servers) {
          // A worker runs one file after another, so an earlier file does not need its server again.
          if (other === name || other === '') continue;
          servers.delete(other);
          await server.stop();
        }
        const server = servers.get(name) ?? (await boot());
        servers.set(name, server);
        return server;
      });
      for (const server of servers.values()) await server.stop();
    },
    { scope: 'worker' },
  ],
  getShared: [
    ({ getServer, transcription }, provide) => provide(() => getServer('', () => bootTranscribing(transcription))),
    { scope: 'worker' },
  ],
  browser: [
    async ({ browser }, provide) => {
      const open = browser.newContext.bind(browser);
      // Also those that a test opens by itself.
      browser.newContext = async (options) => {
        const context = await open(options);
        await context.addInitScript(waitLongerForAnswers);
        return context;
      };
      await provide(browser);
    },
    { scope: 'worker' },
  ],
  server: async ({ apart, getServer, transcription }, provide) => {
    await provide(await getServer(apart, () => bootTranscribing(transcription)));
  },
  context: async ({ context }, provide) => {
    const violations = await watchPolicy(context);
    await context.addInitScript(rememberToasts);
    // The packaged browser has the interface without the service behind it and dies of its first use.
    await context.addInitScript(() => {
      Reflect.deleteProperty(globalThis, 'SpeechRecognition');
      Reflect.deleteProperty(globalThis, 'webkitSpeechRecognition');
    });
    await provide(context);
    expect(violations, 'threat 9: nothing the content security policy refuses').toEqual([]);
  },
  baseURL: async ({ server }, provide) => provide(server.url),
  loginAs: async ({ page, server, transcription }, provide) => {
    transcription.reset();
    await provide(async (role, path) => {
      const user = await createUser(server, { role });
      await enterWithSession(page, server, user, path ?? getHome(role));
      return user;
    });
  },
});

function bootTranscribing({ url }: TranscriptionService): Promise<TestServer> {
  return bootServer({ TRANSCRIPTION_URL: url, TRANSCRIPTION_KEY: 'pruefschluessel' });
}

/**
 * Runs in the page. A machine that is busy for the 4 s of §7 is no silent backend: what the application does about one
 * is tested with a clock of the tests (`status.test.ts`, `time-limits.dom.test.ts`).
 */
function waitLongerForAnswers(): void {
  if ('waitsLonger' in globalThis.setTimeout) return;
  const longer = (ms: number): number => 15 * ms;
  const begin = globalThis.setTimeout;
  const abort = AbortSignal.timeout.bind(AbortSignal);
  AbortSignal.timeout = (ms) => abort(longer(ms));
  const wait = (work: TimerHandler, ms = 0, ...given: unknown[]) =>
    // The words of `within` (src/web/backend/time-limits.ts).
    begin(work as () => void, String(work).includes('no answer in time') ? longer(ms) : ms, ...given);
  Reflect.set(globalThis, 'setTimeout', Object.assign(wait, { waitsLonger: true }));
}

/** Runs in the page: a busy machine may show a toast, which goes after 5 s, only between two looks of a test. */
function rememberToasts(): void {
  const texts: string[] = [];
  Reflect.set(globalThis, 'toasts', texts);
  new MutationObserver((records) => {
    for (const node of records.flatMap(({ addedNodes }) => [...addedNodes]))
      if (node instanceof HTMLElement && node.dataset['variant'] !== undefined) texts.push(node.textContent);
  }).observe(document, { childList: true, subtree: true });
}

/** What the application's own policy refused on any page of the context; uploaded files have policies of their own. */
async function watchPolicy(context: BrowserContext): Promise<readonly string[]> {
  const violations: string[] = [];
  context.on('console', (message) => {
    if (message.text().startsWith('policy:')) violations.push(message.text());
  });
  await context.addInitScript(() =>
    document.addEventListener(
      'securitypolicyviolation',
      ({ originalPolicy, effectiveDirective, blockedURI, sample }) => {
        // How this browser reports that an object address is opened in a tab of its own.
        const opening = effectiveDirective === 'connect-src' && blockedURI === 'blob';
        const own = originalPolicy.includes('trusted-types') && !opening;
        if (own) console.error(`policy: ${effectiveDirective} ${blockedURI} ${sample}`);
      },
    ),
  );
  return violations;
}

/**
 * Puts a session of this account into the browser's storage, as a login leaves it, before the page at `path` reads it.
 * Cheaper than the login form, which has its own tests.
 */
export async function enterWithSession(
  page: Page,
  server: TestServer,
  { email, password, id }: TestUser,
  path: string,
): Promise<void> {
  const { data, error } = await server.client().auth.signInWithPassword({ email, password });
  if (error !== null) throw error;
  const entry = [sessionStorageKey(server.url), JSON.stringify(data.session)] as const;
  const script = await page.addInitScript(([key, value]) => localStorage.setItem(key, value), entry);
  await page.goto(path);
  await script.dispose();
  // A test that takes the network away right after this needs the role to be known.
  await page.waitForFunction((of) => localStorage.getItem(`last_role:${of}`) !== null, id);
}

/**
 * Puts the clock of the tests into every page from now on. Leaves the open one first: while Playwright installs it, the
 * page's time is 1970, and an activity noted then ends the login on the next page (§4).
 */
export async function installClock(page: Page): Promise<void> {
  await page.goto('about:blank');
  await page.clock.install();
  // It has taken the place of the timers with the longer limits.
  await page.addInitScript(waitLongerForAnswers);
}

type Credentials = Pick<TestUser, 'email' | 'password'>;

export async function login(page: Page, credentials: Credentials): Promise<void> {
  await page.goto('/login');
  await submitLogin(page, credentials);
  await expect(page).not.toHaveURL(/\/login/);
}

/** On the login screen, which is not loaded again. */
export async function submitLogin(page: Page, { email, password }: Credentials): Promise<void> {
  await page.getByLabel('E-Mail').fill(email);
  await page.getByLabel('Passwort', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Anmelden' }).click();
}

export { expect };
