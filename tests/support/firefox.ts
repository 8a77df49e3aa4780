import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { WebSocket } from 'ws';
import { z } from 'zod';
import { hasSoundServer, startSoundServer } from './sound-server.ts';

/** The Firefox of this machine, where there is one with sound: FIREFOX_PATH, or where Debian and others put it. */
export function firefoxPath(): string | undefined {
  const own = process.env['FIREFOX_PATH'];
  const desktop = process.platform !== 'linux' || process.env['PULSE_SERVER'] !== undefined;
  if (!hasSoundServer() && !desktop) return undefined;
  const usual = ['/usr/bin/firefox-esr', '/usr/bin/firefox', '/Applications/Firefox.app/Contents/MacOS/firefox'];
  return [...(own === undefined || own === '' ? [] : [own]), ...usual].find((file) => existsSync(file));
}

/**
 * One page of a Firefox of its own, driven through WebDriver BiDi (Playwright's driver asks for what an ESR has not).
 */
export type FirefoxPage = Readonly<{
  goto: (url: string) => Promise<void>;
  /** Runs in the page, as if somebody had just pressed a key; what it returns must be plain. */
  run: <Args extends readonly unknown[], Result>(
    work: (...args: Args) => Result,
    ...args: Args
  ) => Promise<Awaited<Result>>;
  /** Runs in each document that comes, before anything of its own. */
  before: <Args extends readonly unknown[]>(work: (...args: Args) => void, ...args: Args) => Promise<void>;
  close: () => Promise<void>;
}>;

const PREFERENCES = {
  'media.navigator.streams.fake': true,
  'media.navigator.permission.disabled': true,
  'media.autoplay.default': 0,
  'browser.shell.checkDefaultBrowser': false,
  'datareporting.policy.dataSubmissionEnabled': false,
  // Nothing but this machine: what Firefox would ask of its maker finds nobody.
  'network.proxy.type': 1,
  'network.proxy.http': '127.0.0.1',
  'network.proxy.http_port': 9,
  'network.proxy.ssl': '127.0.0.1',
  'network.proxy.ssl_port': 9,
};

const START_MS = 60_000;

export async function openFirefox(executable: string): Promise<FirefoxPage> {
  const profile = await mkdtemp(path.join(tmpdir(), 'smca-firefox-'));
  const lines = Object.entries(PREFERENCES).map(([name, value]) => `user_pref("${name}", ${JSON.stringify(value)});`);
  await writeFile(path.join(profile, 'user.js'), lines.join('\n'));
  const sound = hasSoundServer() ? await startSoundServer(profile) : undefined;
  const child = spawn(executable, ['--headless', '--no-remote', '--remote-debugging-port=0', '--profile', profile], {
    env: { ...process.env, ...sound?.env },
  });
  const end = async (): Promise<void> => {
    if (child.exitCode === null && child.kill('SIGKILL')) await once(child, 'exit');
    await sound?.stop();
    await rm(profile, { recursive: true, force: true, maxRetries: 5 });
  };
  try {
    const link = await connect(await getAddress(child));
    await link.ask('session.new', { capabilities: {} });
    const { contexts } = Tree.parse(await link.ask('browsingContext.getTree', {}));
    const context = contexts[0].context;
    return {
      goto: async (url) => void (await link.ask('browsingContext.navigate', { context, url, wait: 'complete' })),
      run: async (work, ...args) => {
        const answer = await link.ask('script.callFunction', {
          functionDeclaration: `async () => JSON.stringify(await (${String(work)})(...${JSON.stringify(args)}) ?? null)`,
          awaitPromise: true,
          target: { context },
          userActivation: true,
        });
        return JSON.parse(Returned.parse(answer).result.value);
      },
      before: async (work, ...args) => {
        const functionDeclaration = `() => (${String(work)})(...${JSON.stringify(args)})`;
        await link.ask('script.addPreloadScript', { functionDeclaration });
      },
      close: async () => {
        link.close();
        await end();
      },
    };
  } catch (error) {
    await end();
    throw error;
  }
}

const Tree = z.object({ contexts: z.tuple([z.object({ context: z.string() })], z.unknown()) });
const Returned = z.object({ type: z.literal('success'), result: z.object({ value: z.string() }) });
const Answer = z.object({
  id: z.number().nullish(),
  type: z.string(),
  result: z.unknown().optional(),
  error: z.string().optional(),
  message: z.string().optional(),
});

function getAddress(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = '';
    const timer = setTimeout(() => reject(new Error(`Firefox does not start: ${said}`)), START_MS);
    child.stderr?.on('data', (part: Buffer) => {
      said += part.toString('utf8');
      const address = /WebDriver BiDi listening on (ws:\S+)/.exec(said)?.[1];
      if (address === undefined) return;
      clearTimeout(timer);
      resolve(`${address}/session`);
    });
    child.once('exit', (code) => reject(new Error(`Firefox ended with ${code}: ${said}`)));
  });
}

type Link = Readonly<{ ask: (method: string, params: object) => Promise<unknown>; close: () => void }>;

async function connect(address: string): Promise<Link> {
  const socket = new WebSocket(address);
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  await once(socket, 'open');
  socket.on('message', (data: Buffer) => {
    const answer = Answer.parse(JSON.parse(data.toString('utf8')));
    const asked = waiting.get(answer.id ?? -1);
    waiting.delete(answer.id ?? -1);
    if (answer.type === 'success') asked?.resolve(answer.result);
    else asked?.reject(new Error(`${answer.error ?? ''}: ${answer.message ?? ''}`));
  });
  let last = 0;
  return {
    ask: (method, params) => {
      const id = (last += 1);
      const asked = Promise.withResolvers<unknown>();
      waiting.set(id, asked);
      socket.send(JSON.stringify({ id, method, params }));
      return asked.promise;
    },
    close: () => socket.close(),
  };
}
